"""Three ways to behave with one bullet, compared: two routines, and a planner."""
