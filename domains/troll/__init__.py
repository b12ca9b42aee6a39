"""The trunk thumper: a troll whose design changes, chapter by chapter."""
