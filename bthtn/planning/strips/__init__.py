"""Goal-directed planning: primitive tasks that make a condition true.

`ground` grounds primitive tasks to actions, `regress` regresses goals through them, and
`heuristics` estimates the cost that remains. `backward` and `forward` are the two `a_star`
searches, and `strips_search` runs either of them in slices. Users call `achieve`.
"""
