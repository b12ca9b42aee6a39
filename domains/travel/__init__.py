"""A journey from home to Fukuoka, with as much money as there is."""
