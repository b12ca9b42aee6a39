"""WHAT CAN BE DONE? Tasks, methods that decompose them, and the domain that holds both.

``builder.Domain`` is the authoring front door; what it builds is frozen and shared by all
agents and searches. Nothing here searches, and nothing here runs.
"""
