"""The state of the world: fluents, states, and expressions and assignments over them.

A fluent is declared on a class; on the class it is an expression, on an instance a value.
Expressions and assignments are data: they can be printed, evaluated with three truth
values, and inspected for the fluents that they read and write. Nothing here knows tasks, plans
or time.
"""
