"""The trunk thumper, who guards bridges, and slams knights with a tree."""
