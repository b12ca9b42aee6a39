"""A robot that fetches things in a flat, as one of ROS 2 would."""
