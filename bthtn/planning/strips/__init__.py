"""Goal-directed planning: primitive tasks that make a condition true.

`ground` grounds primitive tasks to actions, `regress` regresses goals through them, and
`heuristics` estimates the cost that remains. `backward` and `forward` are the two A* searches,
`strips_search` runs either of them in slices, and `exhaustive` is the specification that both
are tested against. Users call `achieve`.
"""
