"""A warrior whose club breaks."""
