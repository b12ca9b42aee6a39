"""An explorer in MiniGrid: a world that nobody here wrote, of which he sees 7 by 7 cells."""
