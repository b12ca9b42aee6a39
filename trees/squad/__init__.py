"""A squad: four soldiers and a coordinator against two enemies."""
