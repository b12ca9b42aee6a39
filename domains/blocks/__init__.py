"""Blocks World: piling blocks up anew, one arm, one block at a time."""
