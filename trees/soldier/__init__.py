"""A soldier: survive before fight before patrol, in a small simulated world."""
