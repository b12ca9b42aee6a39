"""An enemy whose attacks were drawn as trees."""
