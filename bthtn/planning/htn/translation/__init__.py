"""Plain functions as data, where their source is certain to be all they do.

Only the fast path uses it: a function stays a function for explanations, footprints and
every other search. So a translation need not know unknown values, and where it raises, the search
calls the function itself and reports the fault.

``written`` finds the syntax tree that has the function's code, ``meaning`` the objects of the
names in it, and the assumptions that this rests on; ``terms`` makes expressions of it, ``paths``
follows its branches, and ``translator`` puts together conditions, effects and methods.
"""
