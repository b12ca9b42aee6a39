"""Tasks, the methods that decompose them, and the domain that holds both.

Authors use ``builder.Domain``; the domain that it builds is frozen and shared by all agents and
searches. Nothing here searches, and nothing here runs.
"""
