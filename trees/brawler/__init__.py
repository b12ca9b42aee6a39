"""A brawler: every blow is drawn from a table, then planned."""
