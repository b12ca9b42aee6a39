"""IS THE PLAN STILL GOOD? The rest of a running plan, checked against the world.

Each tick, `review` decides what becomes of a running plan: `validity` whether its rest still works,
`improvement` whether there is a better one and whether that is a surprise, and `policy` what
follows. `repair` plans anew the part that does not work, `failures` remembers what has failed,
`backoff` says when it is tried again, and `schedule` how much may be planned. Nothing here knows
behaviour trees: `progress` says as data how far a plan has come.
"""
