"""A hunter who would rather shoot than strike, and four ways to change his mind."""
