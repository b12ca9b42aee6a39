"""A troll who does two things at once."""
