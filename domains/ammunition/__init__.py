"""One bullet, and an enemy who takes two."""
