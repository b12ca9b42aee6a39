"""A brawler: mostly jabs, sometimes a full swing; a lottery decides, planning finds a way."""
