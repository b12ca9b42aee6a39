"""What a save may make, besides objects of the user's package, and of what kinds.

For each class its attributes, each with the kinds of values that it may have: classes by their
names, and plain values by the names in ``kinds``. Objects of classes that are not here, of which
there is one in the character made anew, are loaded into that one alone. What is missing here
cannot be loaded; ``tests/saving`` saves characters in all kinds of states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GROUPS: Final[Mapping[str, str]] = {
    "@Node": ("TaskNode|ScopeNode|SequenceNode|ParallelNode|PriorityNode|SuspendedNode|NullNode"),
    "@Network": (
        "TaskCall|SequenceNetwork|ParallelNetwork|PriorityNetwork|DeferNetwork|PauseNetwork"
        "|NullNetwork"
    ),
    "@Search": "HtnSearch|StripsSearch",
    "@Behaviour": (
        "name=text status=Status feedback_message=text children=list|tuple parent=None|Behaviour "
        "current_child=None|Behaviour _was_looked_at=truth _below=None|list"
    ),
}
"""Kinds, and attributes, that stand in several places."""

ATTRIBUTES: Final[Mapping[str, str]] = {
    "bthtn.agent.clock:Timer": (
        "_begin=number _clock=None|ManualClock|TickClock "
        "_latest=number _length=number _ticks=number"
    ),
    "bthtn.agent.leases:Account": "holder=Holder keys=tuple shared=tuple",
    "bthtn.agent.leases:Holder": "goal=text inside=None|Holder number=number plan_id=text what=any",
    "bthtn.agent.operators:Elapsed": "abort_ticks=None|number seconds=number ticks=number",
    "bthtn.behaviours.cleanup:OwedCleanup": (
        "_call=TaskCall _domain=FrozenDomain _goal=None|Holder _hooks=PlanHooks "
        "_is_inside_itself=truth _owner=Mount|OwedCleanup _path=Inside _run=PlanRun "
        "_settings=Settings _subtree=None|Behaviour _ticks=number holder=Holder is_over=truth "
        "task=text"
    ),
    "bthtn.behaviours.cleanup:_Given": "planned=Planned",
    "bthtn.behaviours.compile:NothingToDo": "@Behaviour",
    "bthtn.behaviours.decorated:PlanDecorated": (
        "@Behaviour _index=number _path=None|Inside _planned=None|list _run=PlanRun "
        "_timer=None|Timer _tries=number "
        "decorator=CooldownDecorator|InvertDecorator|RetryDecorator|TimeoutDecorator "
        "failure=None|Failure node=ScopeNode"
    ),
    "bthtn.behaviours.memory:Entry": (
        "count=number failure=Failure has_changed=truth reads=set searched=dict since=number "
        "until=number woken=number"
    ),
    "bthtn.behaviours.memory:FailureMemory": "_recorded=None|@Search",
    "bthtn.behaviours.goals:PriorityGoals": "current_child=None|Behaviour",
    "bthtn.behaviours.goals:StateMachineGoals": "current_child=None|Behaviour state=None|text",
    "bthtn.behaviours.goals:UtilityGoals": "current_child=None|Behaviour",
    "bthtn.behaviours.hooks:PlanHooks": (
        "_agent=Agent _called=None _dropped=list _goal=text _open=list _runtime=Runtime "
        "holder=Holder "
        "on_refused=None"
    ),
    "bthtn.behaviours.hooks:_Ends": "dropped=list hooks=PlanHooks",
    "bthtn.behaviours.hooks:_Open": "account=Account call=tuple",
    "bthtn.behaviours.mount:Mount": "_mounted=None|MountedTree _run=None|PlanRun",
    "bthtn.behaviours.mount:PlannedRest": "arrival=Suspended run=PlanRun search=RestSearch",
    "bthtn.behaviours.obstacle:Obstacle": "error=None|SavedError reason=text",
    "bthtn.behaviours.operator:SavedOperator": "elapsed=Elapsed subtree=None",
    "bthtn.behaviours.operator:Simulated": (
        "_agent=None|Agent _began=number _duration=number _ticks=number"
    ),
    "bthtn.behaviours.parallel:PlanParallel": "@Behaviour node=ParallelNode",
    "bthtn.behaviours.plan_goal:PlanGoal": "plan=None|Plan verdict=None|Verdict",
    "bthtn.behaviours.plan_run:Cooldowns": "left=dict",
    "bthtn.behaviours.plan_run:Inside": "around=None|Inside depth=number node=any",
    "bthtn.behaviours.plan_run:PlanRun": (
        "agent=Agent branch_footprints=dict cooldowns=Cooldowns goal=text has_cleanups=truth "
        "has_reactive_choices=truth holder=None|Holder is_repairable=truth last_end=number "
        "moves=number next_resumption=number owner=Mount|OwedCleanup plan_id=text "
        "setup_arguments=dict ticks=number writes_as=text"
    ),
    "bthtn.behaviours.plan_run:Planned": "plan=Plan steps=list",
    "bthtn.behaviours.plan_run:Resumption": "moves=number node=SuspendedNode reads=None|dict",
    "bthtn.behaviours.plan_search:PlanSearch": "_current=None|_Started _unfit=None|SavedError",
    "bthtn.behaviours.plan_search:RestSearch": (
        "_foreseen=None|Plan _node=SuspendedNode _search=PlanSearch _started=None|_Started"
    ),
    "bthtn.behaviours.plan_search:_Started": (
        "_beliefs=Beliefs _failures=FailureMemory _kept=tuple _most=number _resumes=truth "
        "_search=@Search _version=number _works_at=number avoided=dict expansions=number "
        "found_in=FrozenState plan=None|Plan planner=Planner state=FrozenState "
        "status=SearchStatus"
    ),
    "bthtn.behaviours.priority:PlanPriority": (
        "@Behaviour _in_vain=list memory=truth node=PriorityNode"
    ),
    "bthtn.behaviours.sequence:PlanCleanup": (
        "@Behaviour _index=number _planned=None|list node=ScopeNode"
    ),
    "bthtn.behaviours.sequence:PlanScope": (
        "@Behaviour _index=number _planned=None|list node=ScopeNode"
    ),
    "bthtn.behaviours.sequence:PlanSequence": (
        "@Behaviour _index=number _planned=None|list node=None"
    ),
    "bthtn.behaviours.sequence:PlanWithCleanup": (
        "@Behaviour _index=number _planned=None|list _run=PlanRun is_open=truth "
        "node=ScopeNode path=None|Inside"
    ),
    "bthtn.behaviours.step_abort:OperatorAbort": (
        "_operator=SavedOperator|Simulated _ticks=number done=truth error=None|SavedError "
        "has_begun=truth step=StepRun"
    ),
    "bthtn.behaviours.step_abort:StepAbort": "_abort=OperatorAbort",
    "bthtn.behaviours.step:StepRun": (
        "_account=None|Account _began=number _end=None _holder=None|Holder _news=None|WriterName "
        "_run=PlanRun _runtime=Runtime _written=None is_open=truth node=TaskNode number=number "
        "path=None|Inside plan_id=text ticks=number"
    ),
    "bthtn.behaviours.suspended:Suspended": (
        "@Behaviour _ask=None|PlannedRest|_Given _not_before=number _planned=None|Planned "
        "_run=PlanRun _version=number failure=None|Failure inside=tuple node=SuspendedNode "
        "path=None|Inside replacement=None|list waits_for=None|Behaviour"
    ),
    "bthtn.behaviours.task_leaf:TaskLeaf": (
        "@Behaviour _abort=None|OperatorAbort _obstacle=None|Obstacle "
        "_operator=None|SavedOperator|Simulated _run=PlanRun _step=None|StepRun "
        "_visited=list|tuple _waits_for=None|Holder failure=None|Failure node=TaskNode "
        "path=None|Inside"
    ),
    "bthtn.domain.decorator:CooldownDecorator": "number=number|Seconds",
    "bthtn.domain.decorator:InvertDecorator": "",
    "bthtn.domain.decorator:RetryDecorator": "number=number",
    "bthtn.domain.decorator:TimeoutDecorator": "number=number|Seconds",
    "bthtn.domain.network:DeferNetwork": "call=TaskCall ensures=tuple now=truth",
    "bthtn.domain.network:NullNetwork": "",
    "bthtn.domain.network:ParallelNetwork": "parts=tuple policy=ParallelPolicy",
    "bthtn.domain.network:PauseNetwork": "now=truth",
    "bthtn.domain.network:PriorityNetwork": "parts=tuple reactive=truth",
    "bthtn.domain.network:SequenceNetwork": "parts=tuple",
    "bthtn.domain.number:Seconds": "length=number|Expression",
    "bthtn.domain.task:TaskCall": "args=tuple task=CompoundTask|PrimitiveTask",
    "bthtn.domain.turns:Pending": "members=tuple",
    "bthtn.domain.turns:Rest": "binding=tuple parts=tuple",
    "bthtn.domain.turns:Turn": (
        "args=tuple binding=tuple domain=None|FrozenDomain method=None|Method name=text "
        "pending=Pending place=None|tuple task=CompoundTask unknown=any"
    ),
    "bthtn.kit.coordinator:_Granted": "member=Agent ticks=number",
    "bthtn.kit.drawn_goal:DrawnGoal": "_plan=None|Plan",
    "bthtn.kit.lottery:LotteryRow": (
        "action=text group=text increment=number precondition=Expression priority=number "
        "weight=number"
    ),
    "bthtn.kit.lottery:LotteryTable": "rows=dict",
    "bthtn.plan.failure:Failure": (
        "error=None|SavedError node=None|@Node reads=set what=text why=text"
    ),
    "bthtn.plan.nodes:Dropped": "alternative=number reason=text text=text",
    "bthtn.plan.nodes:Foreseen": (
        "after=FrozenState before=FrozenState concurrent=None|set sensed=truth tree=@Node "
        "written=dict"
    ),
    "bthtn.plan.nodes:NullNode": "",
    "bthtn.plan.nodes:ParallelNode": "children=tuple policy=ParallelPolicy",
    "bthtn.plan.nodes:PriorityNode": "children=tuple dropped=tuple kept=tuple reactive=truth",
    "bthtn.plan.nodes:ScopeNode": (
        "args=tuple binding=tuple body=None|@Network call=None|TaskCall child=@Node "
        "cost=number footprint=Footprint method=number name=text task=CompoundTask "
        "value=number"
    ),
    "bthtn.plan.nodes:SequenceNode": "children=tuple",
    "bthtn.plan.nodes:SuspendedNode": (
        "binding=tuple cause=Suspension ensures=dict foreseen=None|Foreseen reads=set rest=tuple"
    ),
    "bthtn.plan.nodes:Suspension": "fluent=text kind=SuspensionKind now=truth",
    "bthtn.plan.nodes:TaskNode": (
        "args=tuple binding=tuple call=None|TaskCall cost=number duration=number "
        "footprint=Footprint task=PrimitiveTask"
    ),
    "bthtn.plan.plan:Plan": (
        "_derived=dict binding=tuple domain=FrozenDomain expansions=number "
        "goal=@Network predicted=FrozenState record=MethodTraversalRecord tree=@Node"
    ),
    "bthtn.plan.traversal_record:MethodTraversalRecord": "",
    "bthtn.planning.htn.search:HtnSearch": (
        "_asked=PlanRequest _status=SearchStatus expansions=number"
    ),
    "bthtn.planning.planner:Planner": (
        "binding=tuple domain=FrozenDomain goal=@Network resumes=truth settings=Settings"
    ),
    "bthtn.planning.protocol:PlanRequest": (
        "avoiding=dict binding=tuple bound=None|MethodTraversalRecord domain=FrozenDomain "
        "goal=@Network settings=Settings state=FrozenState"
    ),
    "bthtn.planning.protocol:Settings": (
        "anytime=truth cheapest=truth check_rest=truth horizon=None|number "
        "horizon_time=None|number max_depth=number max_expansions=number seed=number "
        "strict_recursion=truth"
    ),
    "bthtn.planning.strips.strips_search:StripsSearch": (
        "_asked=PlanRequest _expansions=number _status=SearchStatus"
    ),
    "bthtn.replanning.improvement:Improvement": (
        "_bound=MethodTraversalRecord _changed=set _first=@Search _has_other_domain=truth "
        "_interrupt=text _is_second=truth _planner=Planner _predicted=None|Start "
        "_search=@Search failure=None|Failure is_surprising=truth matters=truth "
        "plan=None|Plan"
    ),
    "bthtn.replanning.improvement:Start": "avoided=dict state=FrozenState",
    "bthtn.replanning.policy:Replanning": (
        "hysteresis=number interrupt=text meanwhile=text minimum_commitment=number "
        "repair=truth retrying=RetryPolicy"
    ),
    "bthtn.replanning.policy:RetryPolicy": (
        "after=None|number longest=number|Seconds rest=number|Seconds"
    ),
    "bthtn.replanning.policy:Verdict": (
        "change=None|Change decision=Decision failure=None|Failure plan=None|Plan reason=text"
    ),
    "bthtn.replanning.progress:MountedTree": (
        "_entered=set _has_grown=truth _over=set _owner=dict _plan=@Node planned=dict tree=@Node"
    ),
    "bthtn.replanning.remaining:RemainingPlan": (
        "broken=@Node entered=set over=set running=set tree=@Node"
    ),
    "bthtn.replanning.repair:PendingRepair": "_pending=None|tuple",
    "bthtn.replanning.review:Review": (
        "_adopted=None|Plan _best_from=None|Start _better_since=None|number _bound=None|tuple "
        "_search=None|Improvement _unexpected=None|Change _works_in=None|FrozenState"
    ),
    "bthtn.replanning.schedule:PlanningSchedule": (
        "_attention=dict _claims=dict _clock=None _free=number _granted=number "
        "_limit=number _numbers=number _pace=None|number _seen=number _spent=number "
        "_ticked=None|set _unserved=number budget=number frame=number least=number "
        "milliseconds=None|number"
    ),
    "bthtn.replanning.schedule:_Attention": (
        "asleep=truth every=number phase=number priority=number"
    ),
    "bthtn.replanning.schedule:_Claim": (
        "client=PlanGoal is_active=truth number=number reserved=number since=number urgency=number"
    ),
    "bthtn.world.assignment:Assignment": "grows=truth target=Fluent|MemberOf value=Expression",
    "bthtn.world.beliefs:Beliefs": "_known=None|set",
    "bthtn.world.beliefs:WriterName": "",
    "bthtn.world.beliefs:Watch": "_beliefs=Beliefs _own=text changes=dict fluents=None|set",
    "bthtn.world.diff:Change": "",
    "bthtn.world.expression:Arithmetic": "left=Expression right=Expression symbol=text",
    "bthtn.world.expression:Comparison": "left=Expression right=Expression symbol=text",
    "bthtn.world.expression:Constant": "value=any",
    "bthtn.world.expression:Junction": "decisive=truth parts=tuple",
    "bthtn.world.expression:Negation": "operand=Expression",
    "bthtn.world.expression:Parameter": (
        "default=any is_fixed=truth literals=tuple name=text position=number type=None|any"
    ),
    "bthtn.world.fluent:MemberOf": "family=FluentFamily index=Expression",
    "bthtn.world.footprint:Footprint": "reads=set uses=set writes=dict",
    "bthtn.world.footprint:Write": "kind=WriteKind value=any",
    "bthtn.world.state:FrozenState": "_unknown=number has_unknown=truth values=Pages|dict",
}

CONSTANTS: Final = frozenset(
    {
        "bthtn.domain.network:ParallelPolicy",
        "bthtn.plan.nodes:SuspensionKind",
        "bthtn.planning.protocol:SearchStatus",
        "bthtn.replanning.policy:Decision",
        "bthtn.world.footprint:WriteKind",
        "bthtn.world.truth:Unknown",
        "py_trees.common:BlackBoxLevel",
        "py_trees.common:Status",
    }
)
"""The Enums of libraries whose members are saved by their names."""
