"""The Crafter domain: live off the land, and make one tool with another."""
