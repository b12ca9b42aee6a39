"""An agent in a save: beliefs, clock, sensors, leases, and aborts that are not over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import TickClock
from bthtn.engine.agent.leases import Holder
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.agent.sensors import Sensing
from bthtn.engine.behaviours.cleanup import OwedCleanup
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.plan_run import PlanRun
from bthtn.engine.behaviours.save_form import (
    PATH,
    Calls,
    SavedAttributes,
    SaveForm,
    count,
    text,
)
from bthtn.engine.behaviours.saved_goal import put_hooks, written_hooks
from bthtn.engine.behaviours.saved_run import (
    ABORT,
    abort_from,
    put_run,
    step_run_from,
    written_run,
    written_step_run,
)
from bthtn.engine.behaviours.step_abort import StepAbort
from bthtn.engine.domain import construct
from bthtn.engine.domain.task import CompoundTask
from bthtn.engine.plan.nodes import NULL_NODE, ScopeNode, TaskNode
from bthtn.engine.text.plan_json import NUMBER, whole_list
from bthtn.engine.world.beliefs import WriterName
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState
from bthtn.errors import InputError

Json = Any

CLOCK: Final = SavedAttributes("_lost:number now:number")
RUNTIME: Final = SavedAttributes("is_sensed:truth _steps:count _plans:count _own:account")
CLEANUP: Final = SavedAttributes("_ticks:count")
PART: Final = SavedAttributes("args:args method:count")

GoalPlace = tuple[str, SaveForm]
"""The place of a goal in the tree, and its form."""


def agent_form(agent: Agent[Any, Any], calls: Calls) -> SaveForm:
    return SaveForm(agent, calls, agent.domain)


def written_beliefs(form: SaveForm) -> Json:
    """What an agent believes. Raises InputError for a value that cannot be written."""
    found = []
    for fluent, value in form.agent.beliefs.frozen().items():
        try:
            found.append([*form.fluent(fluent), form.value(value)])
        except InputError:
            what = f"the value of '{fluent}' is a {type(value).__name__}, which cannot be saved"
            hint = "use numbers, texts, enums, tuples, frozen data classes or named tuples"
            raise InputError("BT495", what, hint=hint) from None
    return found


def put_beliefs(form: SaveForm, values: Mapping[Any, Any]) -> None:
    """Let an agent believe these values, and nothing else."""
    beliefs = form.agent.beliefs
    beliefs.replace(type(beliefs.now).over(FrozenState(values)))


def written_agent(form: SaveForm) -> dict[str, Json]:
    """An agent as JSON, but for its aborts."""
    agent = form.agent
    soon = [
        [*form.fluent(cast("Fluent[Any]", fluent)), form.value(value), source]
        for fluent, value, source in list(agent._believed_soon)
    ]
    return {
        "beliefs": written_beliefs(form),
        "version": agent.beliefs.version,
        "ticks": agent._ticks,
        "clock": None if agent.clock is None else _written_clock(form, agent.clock),
        "sensors": _written_sensors(form, agent._sensing),
        "soon": soon,
        "errors": dict(agent.errors),
        "runtime": RUNTIME.write(form, runtime_of(agent)),
    }


def put_agent(form: SaveForm, data: Mapping[str, Json]) -> None:
    """Put an agent that was made anew where it was, but for its aborts."""
    agent = form.agent
    put_beliefs(form, form.believed(data["beliefs"]))
    agent.beliefs.version = version = count(data["version"])
    agent.beliefs._frozen = (version, agent.beliefs._frozen[1])
    agent._ticks = count(data["ticks"])
    if agent.clock is not None and data["clock"] is not None:
        _put_clock(form, agent.clock, data["clock"])
    _put_sensors(form, agent._sensing, data["sensors"])
    for name, index, value, source in data["soon"]:
        ((fluent, found),) = form.believed([[name, index, value]]).items()
        agent._believed_soon.append((fluent, found, text(source)))
    agent._errors._counts.update({str(kind): count(n) for kind, n in data["errors"].items()})
    form.calls.last.append(lambda: RUNTIME.put(form, runtime_of(agent), data["runtime"]))


# clocks and sensors


def _written_clock(form: SaveForm, clock: TickClock) -> dict[str, Json]:
    seconds = float(clock.source()) + clock._offset  # another clock may go on
    return {**CLOCK.write(form, clock), "seconds": NUMBER.write(form, seconds)}


def _put_clock(form: SaveForm, clock: TickClock, data: Mapping[str, Json]) -> None:
    CLOCK.put(form, clock, data)
    clock._offset = NUMBER.read(form, data["seconds"]) - float(clock.source())


def _written_sensors(form: SaveForm, sensing: Sensing) -> dict[str, Json]:
    return {
        "tick": sensing._tick,
        "triggered": [sensor.name for sensor, due in sensing._triggered.items() if due],
        "written": [
            [sensor.name, [form.fluent(fluent) for fluent in fluents]]
            for sensor, fluents in sensing._written.items()
        ],
    }


def _put_sensors(form: SaveForm, sensing: Sensing, data: Mapping[str, Json]) -> None:
    sensing._tick = count(data["tick"])
    triggered = set(map(str, whole_list(data["triggered"])))
    sensing._triggered = {sensor: sensor.name in triggered for sensor in sensing._triggered}
    written = {text(name): fluents for name, fluents in data["written"]}
    for sensor, known in sensing._written.items():
        for entry in written.get(sensor.name, ()):
            known[form.fluent_from(*entry)] = None


# aborts and cleanups that are not over


def written_aborts(forms: Mapping[Holder, GoalPlace], agent: Agent[Any, Any]) -> list[Json]:
    """The aborts of an agent, in order, each with the place of its goal in the tree.

    Those of goals that are in no tree any more are left out.
    """
    found = []
    for abort in agent.aborts._unfinished:
        around: Holder | None = abort.holder
        while around is not None and around not in forms:
            around = around.inside
        if around is not None:
            place, form = forms[around]
            found.append({"goal": place, **_written_abort(form, abort)})
    return found


def _written_abort(form: SaveForm, abort: Any) -> dict[str, Json]:
    if isinstance(abort, OwedCleanup):
        return _written_cleanup(form, abort)
    operator_abort = cast("StepAbort", abort)._abort
    step = operator_abort.step
    return {
        **_written_origin(step._run),
        "nodes": form.tree(step.node),
        "step": {**written_step_run(form, step, None), "path": PATH.write(form, step.path)},
        "abort": ABORT.write(form, operator_abort),
    }


def put_abort(form: SaveForm, goal: PlanGoal, data: Mapping[str, Json]) -> None:
    """Let an agent go on with an abort, or a cleanup, of one of its goals."""
    run = _run_from(goal, data)
    if "part" in data:
        _put_cleanup(form, goal, run, data)
        return
    node = form.tree_from(data["nodes"])
    if not isinstance(node, TaskNode):
        raise TypeError("something else than a step is aborted")
    step = step_run_from(form, node, None, run, data["step"])
    goal.agent.aborts.add(StepAbort(abort_from(form, step, data["abort"])))


def _written_origin(run: PlanRun) -> dict[str, Json]:
    """Of which goal, or cleanup, something is."""
    return {"named": run.goal, "writes_as": run.writes_as, "plan_id": run.plan_id}


def _run_from(goal: PlanGoal, data: Mapping[str, Json]) -> PlanRun:
    """A run in whose name something is ended."""
    mount, named = goal._mount, text(data["named"])
    return PlanRun(
        goal.agent,
        goal.name if named == goal.name else named,
        mount,
        mount.setup_arguments,
        holder=mount.hooks.holder,
        writes_as=WriterName(text(data["writes_as"])) if data["writes_as"] else "",
        plan_id=text(data["plan_id"]),
    )


def _written_cleanup(form: SaveForm, owed: OwedCleanup) -> dict[str, Json]:
    data = {
        **_written_origin(owed._run),
        "writes_as": "",
        "part": [owed.part.task.name, PART.write(form, owed.part)],
        "path": PATH.write(form, owed.path),
        "hooks": written_hooks(form, owed._hooks),
        **CLEANUP.write(form, owed),
    }
    if owed._subtree is not None:
        data["run"] = written_run(_form_of_cleanup(form, owed), owed._run, owed._subtree)
    return data


def _form_of_cleanup(form: SaveForm, owed: OwedCleanup) -> SaveForm:
    return form.like(owed._domain, owed._call)


def _put_cleanup(form: SaveForm, goal: PlanGoal, run: PlanRun, data: Mapping[str, Json]) -> None:
    name, about = data["part"]
    task = form.domain.task(text(name))
    if not isinstance(task, CompoundTask) or task.origin != construct.WITH_CLEANUP:
        raise TypeError(f"'{name}' has no cleanup")
    part = ScopeNode(task, child=NULL_NODE, **PART.values(form, about))
    if part.method >= len(form.domain.methods[task]):
        raise ValueError(f"'{name}' has no method {part.method}")
    goal._mount.owe_cleanup(part, PATH.read(form, data["path"]), run)
    owed = goal.agent.aborts._unfinished[-1]
    assert isinstance(owed, OwedCleanup), "it is owed now"
    CLEANUP.put(form, owed, data)
    put_hooks(form, owed._hooks, data["hooks"])
    if "run" in data:
        inner = _form_of_cleanup(form, owed)
        _, owed._subtree = put_run(inner, owed._call, data["run"], owed._run)
