"""Authored HTN domains, a folder each: worked examples, installed with the package."""
