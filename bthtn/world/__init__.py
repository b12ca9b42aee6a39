"""WHAT IS TRUE? Fluents, states, and the questions and changes that are data.

A fluent is declared on a class; on the class it is an expression, on an instance a value.
Expressions and assignments are data: they can be printed, evaluated with three truth
values, and asked what they read and write. Nothing here knows tasks, plans or time.
"""
