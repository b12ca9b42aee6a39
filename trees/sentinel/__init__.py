"""A guard of the arena, who patrols, fights from behind walls, and searches."""
