"""Saves: a running character as JSON, and how it goes on from there.

A save is a graph of objects: each with its class and its attributes, by number. The code of a
character, such as its domain, tree and functions, is not in it: a save names the parts of domains
by their places, and is loaded into a character that was made anew.
"""
