"""Arms and legs over one set of beliefs; walking in the background; what was wrong with both."""

from itertools import product

import pytest

from bthtn import Settings, find_plan
from bthtn.engine.agent.agent import domain_and_goal
from bthtn.engine.agent.events import BeliefChanged, LeafStarted
from bthtn.engine.planning.explain import Explanation, explanation_text
from bthtn.engine.text.notation import normal
from bthtn.errors import PlanningError
from bthtn.examples.domains.body import domain, literal
from bthtn.examples.domains.body.beliefs import Troll, Walker
from bthtn.examples.trees.arms_and_legs.tree import (
    CORRECTED,
    LITERAL,
    character,
    in_background,
    two_halves,
)
from bthtn.studio.analysis.checks import findings

FAR = {"has_enemy": True, "enemy_range": 9}


def lived(actor, most=30):
    """What happened until the enemy was struck, tick by tick."""
    story = []
    while not actor.finished and len(story) < most:
        story.append(actor.tick())
    actor.stop()
    return story


def of(kind, story):
    return [event for events in story for event in events if isinstance(event, kind)]


# two domains


def test_the_literal_legs_come_back_to_themselves_in_the_same_state():
    explanation = Explanation()
    plan = find_plan(
        literal.literal_lower, Walker(**FAR), literal.use_legs(), listener=explanation.add
    )
    assert [str(step) for step in plan.steps] == ["walk", "legs_idle"]
    why = explanation_text(explanation.reasons())
    assert "use_legs: entered again inside itself, with nothing changed" in why


def test_without_the_guard_against_circles_the_literal_legs_are_never_planned_to_an_end():
    unguarded = Settings(strict_recursion=False, max_expansions=5_000)
    with pytest.raises(PlanningError, match="BT203"):
        find_plan(literal.literal_lower, Walker(**FAR), literal.use_legs(), unguarded)
    assert find_plan(domain.lower, Walker(**FAR), domain.use_legs(), unguarded) is not None


def test_the_corrected_legs_expect_to_arrive():
    plan = find_plan(domain.lower, Walker(**FAR), domain.use_legs())
    assert normal(plan.tree) == "(walk, legs_idle)"
    assert plan.record == (0, 1)


def test_arms_and_legs_see_what_the_other_has_set():  # R001-14
    actor = two_halves()
    story = lived(actor)
    world = actor.agent.body
    assert (world.slams, world.orders) == (1, 1)
    assert world.guards >= 1  # planned for the arms because the legs had set `navigating`
    guarded = next(i for i, events in enumerate(story) if "guard_face" in started(events))
    walking = next(i for i, events in enumerate(story) if "walk" in started(events))
    assert walking < guarded < len(story)
    assert "walk" not in [name for events in story[walking + 1 :] for name in started(events)]


def started(events):
    return [event.task for event in events if isinstance(event, LeafStarted)]


def test_each_change_says_whose_it_is():
    changes = [event.change for event in of(BeliefChanged, lived(two_halves()))]
    sources = {str(change.fluent): change.source for change in changes}
    assert sources == {
        "has_enemy": "eyes",
        "enemy_range": "eyes",
        "hit_by_arrow": "skin",
        "navigating": "legs",
        "at_enemy": "legs",
    }


def test_each_goal_is_planned_with_the_domain_of_its_task():
    agent = two_halves().agent
    assert domain_and_goal(agent.domains, domain.use_arms())[0].name == "upper"
    assert domain_and_goal(agent.domains, domain.use_legs())[0].name == "lower"
    assert agent.domain.name == "upper"


def test_the_tree_of_the_command_line_is_that_of_two_halves():
    assert [child.name for child in character().root.children] == [
        "legs, for ever",
        "arms, for ever",
    ]


# in the background


def reachable_states():
    """Being on the way comes from setting out, which nobody does without an enemy."""
    for has, distance, on_way, hit in product([True, False], [1, 9], [True, False], [True, False]):
        if has or not on_way:
            yield Troll(has_enemy=has, enemy_range=distance, navigating=on_way, hit_by_arrow=hit)


def plans(of_domain, goal):
    return [normal(find_plan(of_domain, state, goal).tree) for state in reachable_states()]


def test_the_literal_domain_never_guards_in_any_state_that_it_can_get_into():
    assert len(list(reachable_states())) == 12
    assert "guard" not in plans(literal.literal_body, literal.attack())
    assert plans(domain.body, domain.attack()).count("guard") == 1


def test_the_literal_domain_asks_for_the_way_again_and_again():
    actor = in_background(LITERAL)
    lived(actor)
    world = actor.agent.body
    assert (world.slams, world.guards) == (1, 0)
    assert world.orders > 3


def test_the_corrected_domain_sets_out_once_and_guards_on_the_way():  # R001-14
    actor = in_background(CORRECTED)
    story = lived(actor)
    world = actor.agent.body
    assert (world.slams, world.orders) == (1, 1)
    assert world.guards >= 1
    changes = [event.change for event in of(BeliefChanged, story)]
    navigating = [(one.after, one.source) for one in changes if one.fluent is Troll.navigating]
    assert navigating == [(True, "attack"), (False, "feet")]


def test_the_literal_domain_is_warned_of_and_the_corrected_one_is_not():
    (warning,) = findings(literal.literal_body.freeze())
    assert (warning.code, warning.where) == ("BT155", "compound 'attack', method 1")
    assert findings(domain.body.freeze()) == ()
