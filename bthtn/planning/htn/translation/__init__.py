"""Plain functions as data, where their source says for certain what they do.

Only the fast path uses it: a function stays what its author wrote, for explanations, footprints and
every other search. So a translation need not know unknown values, and where it raises, the search
calls the function itself and says what is wrong.

``written`` finds the syntax tree that has the function's code, ``meaning`` what the names in it
stand for, and what has to stay as it is for that; ``terms`` makes expressions of it, ``paths``
follows its branches, and ``translator`` puts together conditions, effects and methods.
"""
