"""A fencer made of files, of which only operators, sensors and arena are Python."""
