"""**How is a plan found fastest?** By a search for choices alone, in plain data.

``scope`` tells what a goal can come to, and whether all of it is plain data; ``circles`` which
tasks may come to themselves with nothing changed, ``shape`` what stands where. ``source`` and
``body`` write the functions, ``program`` makes them, ``guard`` is what they call. ``retrace``
makes the log of the choices when somebody wants the tree.
"""
