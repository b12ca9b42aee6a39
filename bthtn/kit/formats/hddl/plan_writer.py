"""Plans in the form of the International Planning Competition, with their decomposition.

==>
0 drive truck a b
root 1
1 deliver package b -> m_deliver 0
<==
"""

from __future__ import annotations

from bthtn.engine.plan.plan import Plan
from bthtn.kit.formats.hddl.decomposition import Done, decomposition


def plan_text(plan: Plan) -> str:
    """The plan: its steps in order, the tasks of the goal, and what each is decomposed into."""
    steps, roots = decomposition(plan)
    numbers = {id(step): number for number, step in enumerate(steps)}
    pending, decomposed = roots[::-1], list[Done]()
    while pending:
        done = pending.pop()
        if done.method:
            numbers[id(done)] = len(numbers)
            decomposed.append(done)
            pending += reversed(done.tasks)

    def numbered(done: list[Done]) -> list[str]:
        return [str(numbers[id(each)]) for each in done]

    lines = [" ".join(map(str, (numbers[id(step)], step.name, *step.args))) for step in steps]
    lines.append(" ".join(("root", *numbered(roots))))
    for done in decomposed:
        head = (str(numbers[id(done)]), done.name, *map(str, done.args), "->", done.method)
        lines.append(" ".join((*head, *numbered(done.tasks))))
    return "\n".join(["==>", *lines, "<==", ""])
