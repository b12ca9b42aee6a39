"""Goal-directed planning: primitive tasks that make a condition true.

`ground` finds the actions there are, `regress` goes back through them, `heuristics` estimates
how far it still is. `backward` and `forward` are the searches, `search` runs either of them a
little at a time, `reference` is what they answer to. `achieve` is what users write.
"""
