"""Plain functions as data, where their source is certain to be all they do.

A search plans with the translation, and where that raises, for a mistake in the function or an
unknown value, it calls the function itself and finds out why. So a translation has to read all that
the function reads, and need not know what follows. For explanations and footprints a function stays
a function.

``written`` finds the syntax tree that has the function's code, ``meaning`` the objects of the
names in it, and the assumptions that this rests on; ``terms`` makes expressions of it, ``paths``
follows its branches, and ``translator`` puts together conditions, effects and methods.
"""
