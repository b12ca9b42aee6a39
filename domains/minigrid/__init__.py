"""The MiniGrid domain: find things behind doors in a world that is only seen in part."""
