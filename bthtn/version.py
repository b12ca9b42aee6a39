"""The version of bthtn: a frozen game has no package that could be asked for it."""

VERSION = "0.1.0"
