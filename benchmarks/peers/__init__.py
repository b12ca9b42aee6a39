"""Other planners, each with the problems written the way its own examples are written."""
