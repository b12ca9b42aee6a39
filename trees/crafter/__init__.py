"""A castaway in Crafter: a world that nobody here wrote, of which he sees 9 by 7 cells."""
