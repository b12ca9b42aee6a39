"""What ``bthtn plan --json`` tells, as tests look at it."""


def tree_told(plan):
    """The tree of a plan that was read as JSON: each node with those below it as its children."""
    ready = []
    for node in reversed(plan["nodes"]):
        below = [ready.pop() for _ in range(node.get("below", 0))]
        ready.append(node | {"children": below})
    (root,) = ready
    return root
