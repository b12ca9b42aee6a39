"""Packages that go by truck within a city, and by plane between cities."""
