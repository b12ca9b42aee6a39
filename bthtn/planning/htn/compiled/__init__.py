"""**How is a domain planned with fast?** As Python that is generated for it.

``expressions`` → ``source`` → ``program``: a frozen domain becomes functions, one per task.
``generated`` is the one place where source is run; no text of a domain ever stands in it.
``machine`` runs them, ``branches`` adds parallel and priority nodes, ``output`` makes the
plan tree of the log that a run leaves behind, ``search`` is the whole as a ``Search``. ``lean``
searches for the choices alone.
"""
