"""IS THE PLAN STILL GOOD? What is left of a running plan, held against the world of now.

`progress` says how far a plan has come, `monitor` whether the rest still works, `improve`
whether there is something better and whether that is a surprise, and `policy` what follows.
`review` puts them together, once per tick. Nothing here knows behaviour trees.
"""
