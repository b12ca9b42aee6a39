"""Text: how conditions, values, networks and plans are written, and read again.

People write the ``notation``, with ``conditions`` for what holds and what changes; programs
exchange ``plan_json``; ``values`` has the values in both. The packages below know nothing of this:
they only show things in messages. ``tree`` and ``labels`` say how plans are shown. Files, XML and
sheets are in ``bthtn.kit.formats``, characters that run, as JSON, in ``behaviours.saves``.
"""
