"""What is derived of a plan is worked out once for all plans that share its tree."""

from bthtn import Planner
from bthtn.examples.domains.combat.domain import Soldier, combat, fight


def derived_again(planner, state, log):
    def work_out(plan):
        log.append(plan)
        return str(plan.record)

    return [planner.plan(state.frozen()).derived(work_out) for _ in range(3)], work_out


def test_equal_plans_share_what_was_derived_of_them():
    log, planner = [], Planner(combat, fight())
    for _ in range(3):  # trees are shared when their parts were made before
        _ = planner.plan(Soldier(target=True).frozen()).tree
    texts, work_out = derived_again(planner, Soldier(target=True), log)
    assert len(log) == 1
    assert len(set(texts)) == 1
    other = planner.plan(Soldier().frozen())
    assert other.derived(work_out) == str(other.record) != texts[0]
