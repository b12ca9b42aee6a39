"""A warrior with a club, and an archer: the same goal, another domain."""
