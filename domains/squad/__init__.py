"""A squad: soldiers who share targets, wait for their turn, and bandage each other."""
