"""Goal-directed planning: primitive tasks that make a condition true.

`a_star` is the one search, for any `Problem`. `backward` is the problem that regresses the goal:
`instances` finds the values of parameters, `ground` makes actions of tasks with them, `regress`
goes back through them, `mutex` finds what cannot hold together, and `heuristics` estimates the
cost that remains. `greedy` goes forward where that takes too long, as `both_ways`
says. `forward` is the problem that applies actions to the state. `strips_search` runs
the search in slices, `solver` inside of methods. Users call `achieve`. Nothing here
knows how tasks are decomposed.
"""
