"""starter, a camper who keeps a fire burning."""
