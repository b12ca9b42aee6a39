"""The timeline: agent events in, lines of text out."""

from dataclasses import replace

import pytest

from bthtn import Domain, Fluent, Settings, State, find_plan, fluent, parallel, priority, sequence
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.agent.events import (
    BeliefChanged,
    CleanupEnded,
    CleanupStarted,
    GoalEnded,
    LeafAborted,
    LeafAborting,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    LeaseReturned,
    LeaseTaken,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
    PlanFailed,
    PlanHookFailed,
    PlanKept,
    PlanReplaced,
    PlanResumed,
)
from bthtn.engine.text.tree import ASCII
from bthtn.engine.world.diff import Change
from bthtn.errors import InputError
from bthtn.studio.testing.doubles import RecordingListener
from bthtn.studio.views.timeline import HEADING, Line, Tick, Verb, lines, rows


class Dog(State):
    hungry: Fluent[bool] = fluent(default=True)
    bones: Fluent[int] = fluent(default=3)


yard = Domain("yard", Dog)
dig = yard.primitive("dig", uses="legs")
bark = yard.primitive("bark", uses="voice")
growl = yard.primitive("growl", uses="voice", exec_only=Dog.hungry)

DIG, BARK = LeafStarted(1, "dig", ""), LeafStarted(2, "bark", "")


def plan_for(goal, **settings):
    return find_plan(yard, Dog(), goal, Settings(**settings))


def told(*ticks, active="guard"):
    """The timeline of ticks that are given by their events; the margin and blanks left out."""
    numbered = [Tick(number, (active,), tuple(events)) for number, events in enumerate(ticks, 1)]
    return [
        f"{line.when} {line.verb} {line.text}".strip()
        for row in rows(numbered)
        for line in lines(row)
    ]


def test_the_columns_stand_below_their_headings():
    (row,) = rows([Tick(7, ("guard",), (DIG, BARK))])
    assert str(HEADING) == "tick    the tree runs           what happens"
    assert [str(line) for line in lines(row)] == ["7       guard          starts   dig, bark"]


def test_ticks_in_which_nothing_new_happens_share_a_row():
    assert told([], [DIG], [], [], [], [LeafEnded(1, "dig", succeeded=True)], []) == [
        "1",
        "2 starts dig",
        "3–5 runs dig",
        "6 done dig",
        "7",
    ]


def test_a_row_ends_where_the_tree_turns_to_something_else():
    ticks = [Tick(1, ("patrol",), ()), Tick(2, ("patrol",), ()), Tick(3, ("sleep",), ())]
    assert [(row.first, row.last, row.active) for row in rows(ticks)] == [
        (1, 2, ("patrol",)),
        (3, 3, ("sleep",)),
    ]


def test_rows_come_while_the_ticks_come_in():
    def ticks():
        yield Tick(1, (), (DIG,))
        pytest.fail("the next tick was asked for too early")

    assert next(rows(ticks())).first == 1


def test_a_step_that_begins_and_ends_in_one_tick_is_only_done():
    assert told([DIG, LeafEnded(1, "dig", succeeded=True), BARK]) == [
        "1 done dig",
        "starts bark",
    ]


def test_what_still_runs_stands_below_what_happens():
    assert told([DIG, BARK], [LeafEnded(2, "bark", succeeded=True)]) == [
        "1 starts dig, bark",
        "2 done bark",
        "runs dig",
    ]


def test_a_failure_and_a_refusal_have_their_reasons():
    failed = LeafEnded(1, "dig", succeeded=False, reason="the ground is frozen")
    refused = LeafRefused(2, "bark", "hungry is false: hungry = false")
    assert told([DIG, failed, refused]) == [
        "1 fails dig — the ground is frozen",
        "refuses bark — hungry is false: hungry = false",
    ]


def test_what_is_sensed_and_what_tasks_bring_about_stand_apart():
    adopted = PlanAdopted("guard", plan_for(dig()), "")
    sensed = [Change(Dog.hungry, True, False, "sensor"), Change(Dog.bones, 3, 2, "nose")]
    effect = Change(Dog.bones, 2, 1, "guard")
    changes = [BeliefChanged(change) for change in (*sensed, effect)]
    assert told([adopted], changes)[2:] == [
        "2 senses hungry = false, bones: 3 → 2",
        "effect bones: 2 → 1",
    ]


# plans


def test_a_plan_is_shown_whole_when_it_is_new_and_by_its_number_later():
    adopted = [PlanAdopted("guard", plan_for(sequence(dig(), bark())), "the goal is new")] * 2
    assert told([adopted[0]], [GoalEnded("guard", succeeded=True)], [adopted[1]]) == [
        "1 plan 1 for guard, record []",
        "sequence",
        "├─ dig",
        "└─ bark",
        "2 goal guard is done",
        "3 plan 2 for guard, the same as plan 1",
    ]


def test_a_plan_that_takes_the_place_of_a_failed_one_says_so():
    adopted = PlanAdopted("guard", plan_for(dig()), "")
    assert told([adopted], [PlanFailed("guard", "dig: no", again=True)], [adopted]) == [
        "1 plan 1 for guard, record []",
        "dig",
        "2 replans plan 1 for guard failed — dig: no",
        "3 plan 2 for guard instead of plan 1, the same as plan 1",
    ]


def test_what_is_decided_about_a_running_plan_says_why_and_whose_doing_it_was():
    plan, seen = plan_for(sequence(dig(), bark())), Change(Dog.hungry, True, False, "sensor")
    kept = PlanKept("work", "the rest still works", seen)
    replaced = PlanReplaced("work", "it is better", seen)
    broken = PlanBroken("work", "hungry is false", "growl", seen)
    again = PlanAdopted("work", plan, "")
    text = " ".join(
        told(
            [again], [kept], [replaced, LeafAborted(1, "dig", goal="work"), again], [broken, again]
        )
    )
    because = "[hungry: true → false (by sensor)]"
    assert f"2 keeps plan 1 for work — the rest still works {because}" in text
    assert f"3 replaces plan 1 for work — it is better {because} aborts dig plan 2" in text
    assert "plan 2 for work instead of plan 1, the same as plan 1" in text
    assert f"4 breaks plan 2 for work — growl: hungry is false {because}" in text
    assert "plan 3 for work instead of plan 2, the same as plan 1" in text


def test_a_plan_that_is_kept_for_two_reasons_after_one_change_takes_one_line():
    plan = plan_for(dig())
    works = PlanKept("work", "the rest still works", Change(Dog.hungry, True, False, "sensor"))
    best = replace(works, reason="there is nothing better")
    other = replace(best, change=Change(Dog.hungry, False, True, "sensor"))
    text = " ".join(told([PlanAdopted("work", plan, "")], [works, best, other]))
    assert text.endswith(
        "2 keeps plan 1 for work — the rest still works, and there is nothing better "
        "[hungry: true → false (by sensor)] "
        "keeps plan 1 for work — there is nothing better [hungry: false → true (by sensor)]"
    )


def test_a_goal_that_is_given_up_says_why_once():
    adopted = PlanAdopted("guard", plan_for(dig()), "")
    failed = PlanFailed("guard", "dig: no", again=False)
    given_up = GoalEnded("guard", succeeded=False, reason="gave up after one plan; dig: no")
    assert told([adopted, failed, given_up])[-1:] == [
        "goal guard failed — gave up after one plan; dig: no"
    ]


def test_a_dropped_plan_has_a_number_and_a_reason():
    adopted = PlanAdopted("guard", plan_for(dig()), "")
    dropped = [PlanAborted("guard", "'eat' took over"), LeafAborted(1, "dig", goal="guard")]
    assert told([adopted, DIG], dropped)[-2:] == [
        "2 drops plan 1 for guard — 'eat' took over",
        "aborts dig",
    ]


def test_a_goal_may_be_dropped_before_it_has_a_plan():
    assert told([PlanAborted("guard", "'eat' took over")]) == [
        "1 drops guard, before it had a plan — 'eat' took over"
    ]


def test_a_suspended_part_is_shown_when_it_is_planned():
    adopted = PlanAdopted("guard", plan_for(sequence(dig(), bark()), horizon=1), "")
    resumed = PlanResumed("guard", plan_for(bark()), "horizon")
    assert told([adopted, resumed])[-1] == "resumes bark — was suspended (horizon)"


def test_a_tree_that_is_too_long_is_cut():
    adopted = PlanAdopted("guard", plan_for(sequence(*[dig()] * 100)), "")
    assert told([adopted])[-1] == "… and 41 lines more"


# choices


def test_a_choice_is_shown_where_it_is_made():
    adopted = PlanAdopted("guard", plan_for(sequence(dig(), priority(growl(), bark()))), "")
    refused = LeafRefused(2, "growl", "hungry is false: hungry = false")
    chosen = LeafStarted(3, "bark", "")
    assert told([adopted, DIG], [LeafEnded(1, "dig", succeeded=True), refused, chosen], [])[
        -4:
    ] == [
        "2 done dig",
        "refuses growl — hungry is false: hungry = false",
        "chooses bark",
        "3 runs bark",
    ]


def test_a_choice_that_is_done_at_once_is_shown_once():
    adopted = PlanAdopted("guard", plan_for(priority(growl(), bark())), "")
    growled = [LeafStarted(1, "growl", ""), LeafEnded(1, "growl", succeeded=True)]
    assert told([adopted], growled)[-1:] == ["2 chooses growl"]


def test_a_step_that_is_also_done_without_choice_is_no_choice():
    adopted = PlanAdopted("guard", plan_for(sequence(bark(), priority(growl(), bark()))), "")
    assert told([adopted, BARK])[-1] == "starts bark"


# why steps are aborted


def test_a_step_is_aborted_because_the_one_beside_it_failed():
    failed = LeafEnded(1, "dig", succeeded=False, reason="no")
    assert told([DIG, BARK], [failed, LeafAborted(2, "bark")])[-1] == "aborts bark — 'dig' failed"


def test_a_step_is_aborted_because_the_one_beside_it_could_not_start():
    refused = LeafRefused(3, "growl", "no")
    assert told([BARK], [refused, LeafAborted(2, "bark")])[-1] == "aborts bark — 'growl' failed"


def test_a_step_is_aborted_because_the_one_beside_it_was_enough():
    done = LeafEnded(1, "dig", succeeded=True)
    assert told([DIG, BARK], [done, LeafAborted(2, "bark")])[-1] == "aborts bark — no longer needed"


def test_what_another_goal_does_is_no_reason_of_an_abort():
    aborted = LeafAborted(2, "bark", goal="guard")
    others = [PlanAborted("eat", "'c' failed"), LeafRefused(3, "dig", "ice", goal="eat")]
    assert told([BARK], [*others, aborted])[-1] == "aborts bark — no longer needed"


def test_a_step_that_fails_after_an_abort_is_no_reason_of_it():
    failed = LeafEnded(3, "dig", succeeded=False, reason="ice", goal="guard")
    shown = told([BARK], [LeafAborted(2, "bark", goal="guard"), failed])
    assert shown[-2:] == ["2 aborts bark — no longer needed", "fails dig — ice"]


def test_a_clean_up_that_raised_is_told():
    aborted = LeafAborted(2, "bark", ValueError("hoarse"), goal="guard")
    assert told([BARK], [PlanAborted("guard", "'eat' took over"), aborted])[-1] == (
        "aborts bark — its clean-up raised ValueError: hoarse"
    )


def test_what_is_taken_and_given_back_is_told():
    taken = [LeaseTaken("bone", "dig #1"), LeaseTaken("hole", "guard")]
    assert told([], [*taken, LeaseReturned("bone", "dig #1")])[-2:] == [
        "2 takes bone for dig #1, hole for guard",
        "returns bone from dig #1",
    ]


def test_an_abort_that_takes_time_is_told_when_it_begins_and_when_it_is_done():
    assert told([BARK], [LeafAborting(2, "bark")])[-2:] == [
        "2 aborts bark, which takes time",
        "runs bark",
    ]
    assert told([BARK], [LeafAborted(2, "bark")])[-1] == "2 aborts bark — no longer needed"


def test_a_hook_that_raises_is_told():
    failed = PlanHookFailed("guard", "on_plan_end", "dig", ValueError("stuck"))
    assert told([], [failed])[-1] == "2 fails dig — on_plan_end raised ValueError: stuck"


def test_a_cleanup_is_told_with_how_it_ended():
    assert told([], [CleanupStarted("guard", "dig", None)])[-1] == "2 cleans dig after guard"
    assert told([], [CleanupEnded("guard", "dig", succeeded=True)])[-1] == "2 done cleanup: dig"
    failed = CleanupEnded("guard", "dig", succeeded=False, reason="there is no plan")
    assert told([], [failed])[-1] == "2 fails cleanup: dig — there is no plan"


# layout


def test_long_texts_are_wrapped_at_the_width_and_stay_in_their_column():
    failed = LeafEnded(1, "dig", succeeded=False, reason="stone " * 30)
    (row,) = rows([Tick(1, ("guard",), (failed,))])
    wrapped = [str(line) for line in lines(row, width=80)]
    assert len(wrapped) > 2
    assert all(len(line) <= 80 for line in wrapped)
    assert all(line.startswith(" " * 34) for line in wrapped[1:])


def test_a_long_name_is_cut_in_its_column():
    (row,) = rows([Tick(1, ("stand guard over the house",), (DIG,))])
    (line,) = lines(row)
    assert str(line).index("starts") == 23
    assert "…" in str(line)


def test_several_leaves_of_the_tree_stand_side_by_side():
    (row,) = rows([Tick(1, ("guard", "eat"), ())])
    assert str(next(lines(row))) == "1       guard, eat"


def test_what_cannot_be_printed_is_escaped():
    failed = LeafEnded(1, "dig", succeeded=False, reason="a\nb\x1b[31m")
    assert told([failed]) == [r"1 fails dig — a\nb\x1b[31m"]


def test_trees_can_be_drawn_in_plain_letters():
    (row,) = rows([Tick(1, (), (PlanAdopted("guard", plan_for(sequence(dig(), bark())), ""),))])
    assert [line.text for line in lines(row, strokes=ASCII)][1:] == [
        "sequence",
        "|- dig",
        "`- bark",
    ]


def test_rows_are_data():
    (row,) = rows([Tick(1, ("guard",), (DIG,))])
    assert row.entries[0].verb is Verb.STARTS
    assert list(lines(row)) == [Line("1", "guard", "starts", "dig")]


# filters


def chosen(*ticks, **filters):
    """The verbs and texts of the entries that a filter leaves, with their ticks."""
    numbered = [Tick(number, (), tuple(events)) for number, events in enumerate(ticks, 1)]
    return [
        f"{row.first} {entry.verb.value} {entry.text}"
        for row in rows(numbered, **filters)
        for entry in row.entries
    ]


GUARD = [
    [LeafStarted(1, "dig(3)", "", "guard"), LeafStarted(2, "bark", "", "eat")],
    [],
    [
        LeafEnded(1, "dig(3)", succeeded=False, reason="ice", goal="guard"),
        BeliefChanged(Change(Dog.bones, 3, 2, "eat")),
    ],
    [GoalEnded("guard", succeeded=False, reason="ice")],
]


def test_only_entries_of_some_kinds_are_shown():
    assert chosen(*GUARD, only=["fails", "goal"]) == [
        "3 fails dig(3) — ice",
        "4 goal guard failed — ice",
    ]
    assert chosen(*GUARD, only="fails") == ["3 fails dig(3) — ice"]


def test_only_entries_of_one_goal_are_shown():
    assert chosen(*GUARD, goal="eat") == [
        "1 starts bark",
        "2 runs bark",
        "3 senses bones: 3 → 2",
        "3 runs bark",
        "4 runs bark",
    ]


def test_only_entries_of_one_task_are_shown_with_its_arguments_or_without():
    expected = ["1 starts dig(3)", "2 runs dig(3)", "3 fails dig(3) — ice"]
    assert chosen(*GUARD, task="dig") == chosen(*GUARD, task="dig(3)") == expected
    assert chosen(*GUARD, task="di") == chosen(*GUARD, task="dig(4)") == []


def of(agent, *events):
    return [replace(event, agent=agent) for event in events]


TWO = (
    [*of("Rex", DIG), *of("Bo", DIG)],
    of("Rex", LeafEnded(1, "dig", succeeded=False, reason="ice")),
)


def test_entries_of_several_agents_name_the_agent_once_above_those_below():
    row = next(rows([Tick(1, ("yard",), tuple(TWO[0]))]))
    assert [str(line) for line in lines(row)] == [
        "1       yard           Rex      starts   dig",
        "                       Bo       starts   dig",
    ]


def test_steps_of_two_agents_that_have_the_same_number_are_not_confused():
    assert chosen(*TWO) == ["1 starts dig", "1 starts dig", "2 fails dig — ice", "2 runs dig"]


def test_plans_of_two_agents_have_different_numbers():
    plan = plan_for(dig())
    adopted = [one for name in ("Rex", "Bo") for one in of(name, PlanAdopted("eat", plan, ""))]
    failed = of("Rex", PlanFailed("eat", "ice", again=True))
    assert chosen(adopted, failed, only=["plan", "replan"]) == [
        "1 plan 1 for eat, record []",
        "1 plan 2 for eat, the same as plan 1",
        "2 replans plan 1 for eat failed — ice",
    ]


def test_only_entries_of_one_agent_are_shown():
    assert chosen(*TWO, agent="Bo") == ["1 starts dig", "2 runs dig"]


def test_a_kind_may_be_named_without_the_s_at_its_end():
    assert chosen(*GUARD, only=["fail"]) == chosen(*GUARD, only=["fails"]) != []


def test_plans_keep_their_numbers_under_a_filter():
    adopted = [PlanAdopted(goal, plan_for(dig()), "") for goal in ("guard", "eat")]
    assert chosen(adopted, goal="eat") == ["1 plan 2 for eat, the same as plan 1"]


def test_a_misspelt_kind_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"BT409.*'fial'") as caught:
        rows([], only=["fial"])
    assert "did you mean 'fails'?" in str(caught.value)


# with the run time


def test_the_events_of_a_real_run_make_a_timeline():
    heard = RecordingListener()
    agent = Agent("dog", yard, Dog(), body=None, listener=heard)
    goal = PlanGoal("guard", agent, sequence(parallel(dig(), bark()), priority(growl(), dig())))
    ticks = []
    for _ in range(3):
        heard.clear()
        goal.tick_once()
        ticks.append(tuple(heard.events))
        if goal.status.name == "SUCCESS":
            break
    assert told(*ticks) == [
        "1 plan 1 for guard, record [0,0]",
        "sequence",
        "├─ parallel",
        "│  ├─ dig",
        "│  └─ bark",
        "└─ priority, chosen at run time",
        "├─ growl",
        "└─ dig",
        "done dig, bark",
        "chooses growl",
        "goal guard is done",
    ]
