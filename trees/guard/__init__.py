"""A night guard who patrols, looks where there is a noise, and arrests whom he finds."""
