"""A night guard with a flashlight, a radio and handcuffs."""
