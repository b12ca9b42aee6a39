"""Collecting ore: fetch what is missing, then look again."""
