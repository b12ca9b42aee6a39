"""Authored behaviour trees, a folder each: worked examples, installed with the package."""
