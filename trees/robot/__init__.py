"""A robot with a py_trees tree of its own, of which one branch plans."""
