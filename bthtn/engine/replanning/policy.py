"""Policy: the table of rules by which a running plan is kept, replaced or broken off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Final, Literal, NamedTuple, get_args

from bthtn.checked import checked
from bthtn.engine.domain.number import Seconds
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.plan import Plan
from bthtn.engine.world.diff import Change
from bthtn.engine.world.unfrozen import quickly
from bthtn.errors import DomainError
from bthtn.short_repr import ShortRepr

Interrupt = Literal["any", "mtr_equal", "mtr", "surprise"]
"""Which plans may replace a running one: any plan, one that is not worse, one that is strictly
better, or one that is strictly better and not a consequence of the running one ("surprise").

With the first three, each change by others starts a search. Other engines use those; they are
here for comparison.
"""

Meanwhile = Literal["run", "cut"]
"""Whether the plan runs on, or is aborted, during a search that takes several ticks."""


class SearchOutcome(Enum):
    """Result of a search for a better plan: the new record compared with the running plan's."""

    NOTHING = "nothing"
    WORSE = "worse"
    EQUAL = "equal"
    BETTER = "better"


class Decision(Enum):
    """The decision about a running plan."""

    KEEP = "keep"
    ADOPT = "adopt"
    BREAK_OFF = "break off"


class Situation(NamedTuple):
    """The facts that a decision depends on: whether the rest works, and the search's result."""

    valid: bool
    found: SearchOutcome = SearchOutcome.NOTHING
    surprising: bool = False
    interruptible: bool = True


@dataclass(frozen=True, slots=True)
class Rule:
    """A line of the table: the decision for situations with these values; None fits all."""

    decision: Decision
    because: str
    interrupt: tuple[Interrupt, ...] = ()
    valid: bool | None = None
    found: tuple[SearchOutcome, ...] = ()
    surprising: bool | None = None
    interruptible: bool | None = None

    def fits(self, interrupt: Interrupt, situation: Situation) -> bool:
        """Whether the line applies to this situation, under this policy."""
        return (
            (not self.interrupt or interrupt in self.interrupt)
            and self.valid in (None, situation.valid)
            and (not self.found or situation.found in self.found)
            and self.surprising in (None, situation.surprising)
            and self.interruptible in (None, situation.interruptible)
        )


TABLE: Final = (
    Rule(Decision.BREAK_OFF, "the rest of the plan does not work any more", valid=False),
    Rule(Decision.KEEP, "there is nothing better", found=(SearchOutcome.NOTHING,)),
    Rule(Decision.KEEP, "it may not be interrupted now", interruptible=False),
    Rule(Decision.ADOPT, "the newest plan counts", interrupt=("any",)),
    Rule(
        Decision.ADOPT,
        "it is not worse",
        interrupt=("mtr_equal",),
        found=(SearchOutcome.EQUAL, SearchOutcome.BETTER),
    ),
    Rule(
        Decision.KEEP,
        "what was found is not better",
        found=(SearchOutcome.WORSE, SearchOutcome.EQUAL),
    ),
    Rule(Decision.ADOPT, "it is better", interrupt=("mtr",)),
    Rule(Decision.ADOPT, "it is better, and a surprise", surprising=True),
    Rule(Decision.KEEP, "the running plan leads there by itself"),
)
"""The first line that fits decides; the last one always fits."""


@cache
def rule_for(interrupt: Interrupt, situation: Situation) -> Rule:
    """The first line of the table that fits."""
    return next(rule for rule in TABLE if rule.fits(interrupt, situation))


@checked
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RetryPolicy(ShortRepr):
    """When a goal tries again what has failed (semantics 3.10).

    What has failed ``after`` times in a row is left alone for ``backoff`` ticks of the goal, after
    each further failure for twice as long, up to ``longest``. A change of something that it has
    read ends the back-off, at most once in an eighth of its length. With ``after=None`` there is
    none. Both times may be given with ``seconds(…)`` instead, those of the agent's clock.
    """

    after: int | None = 3
    backoff: int | Seconds = 8
    longest: int | Seconds = 256

    def __post_init__(self) -> None:
        """Raise DomainError for numbers that are too small, and for ticks beside seconds."""
        counts = () if self.after is None else (("after", self.after),)
        times = ("backoff", _number("backoff", self.backoff)), ("longest", self.most)
        for name, value in (*counts, *times):
            if not value > 0:
                raise DomainError("BT202", f"{name} is {value}", hint="it has to be above zero")
        if isinstance(self.backoff, Seconds) is not isinstance(self.longest, Seconds):
            message = "a RetryPolicy has a time in ticks beside one in seconds"
            hint = "write both backoff and longest with seconds(…), or none"
            raise DomainError("BT128", message, hint=hint)

    @property
    def in_seconds(self) -> bool:
        return isinstance(self.backoff, Seconds)

    @property
    def unit(self) -> str:
        """What its times count: ticks or seconds."""
        return "second" if self.in_seconds else "tick"

    @property
    def most(self) -> float:
        """``longest`` as a number of ticks or seconds."""
        return _number("longest", self.longest)

    def backoff_after(self, failures: int) -> float:
        """How long something is left alone after so many failures, in ticks or seconds."""
        if self.after is None or failures < self.after:
            return 0
        first, times = _number("backoff", self.backoff), min(failures - self.after, 1_000)
        return min(first * (1 << times), self.most)


def _number(name: str, time: int | Seconds) -> float:
    length = time.length if isinstance(time, Seconds) else time
    if not isinstance(length, int | float):
        raise DomainError("BT110", f"{name} is {length!r}", hint="give a number")
    return length


DEFAULT_RETRY_POLICY: Final = RetryPolicy()

NO_BACKOFF: Final = RetryPolicy(after=None)
"""A policy without back-off: nothing is avoided, and goals try again at once, for ever."""


@checked
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Replanning(ShortRepr):
    """When a running plan is replaced.

    ``interrupt`` is the policy. The search for a better plan starts when the running one is
    ``minimum_commitment`` ticks old; the result is adopted when it was found for ``hysteresis``
    ticks in a row. ``meanwhile`` says whether the plan runs on during such a search. With
    ``repair`` the smallest part of a plan that does not work is planned again, before the whole
    goal is (3.11). ``retrying`` is the policy for attempts after failures (3.10).
    """

    interrupt: Interrupt = "surprise"
    minimum_commitment: int = 0
    hysteresis: int = 0
    meanwhile: Meanwhile = "run"
    repair: bool = True
    retrying: RetryPolicy = DEFAULT_RETRY_POLICY

    def __post_init__(self) -> None:
        """Raise DomainError for unknown policies, and for times that are no number of ticks."""
        for name, allowed in (("interrupt", Interrupt), ("meanwhile", Meanwhile)):
            value, values = getattr(self, name), get_args(allowed)
            if value not in values:
                hint = f"one of: {', '.join(values)}"
                raise DomainError("BT111", f"{name} is {value!r}", hint=hint)
        for name in ("minimum_commitment", "hysteresis"):
            value = getattr(self, name)
            if value < 0:
                raise DomainError("BT202", f"{name} is {value!r}", hint="it is a number of ticks")


DEFAULT_REPLANNING: Final = Replanning()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision about a running plan, and its reason.

    ``rule`` is the ``because`` of the line of the table that decided, "" if none did. ``change`` is
    the change of a fluent that caused it. ``plan`` is the plan to adopt, if any. ``failure`` is set
    if the plan is aborted because a step does not work.
    """

    decision: Decision
    reason: str
    change: Change | None = None
    plan: Plan | None = None
    failure: Failure | None = None
    rule: str = ""

    @property
    def step(self) -> str:
        """The step, or decomposition, that does not work, "" if there is none."""
        return "" if self.failure is None else self.failure.what


quick_verdict: Final = quickly(Verdict)
"""Makes a Verdict in less time than a call of the class takes: most relevant changes need one."""


def table_text() -> str:
    """The table of rules as Markdown."""
    head = ("`interrupt`", "rest works", "found", "surprising", "interruptible", "", "because")
    lines = [
        head,
        tuple("-" * max(3, len(title)) for title in head),
        *map(tuple, map(_cells, TABLE)),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(rule: Rule) -> Iterator[str]:
    yield ", ".join(f"`{name}`" for name in rule.interrupt)
    yield _answer(rule.valid)
    yield " or ".join(found.value for found in rule.found)
    yield _answer(rule.surprising)
    yield _answer(rule.interruptible)
    yield f"**{rule.decision.value}**"
    yield rule.because


def _answer(truth: bool | None) -> str:  # noqa: FBT001 - a cell of the table
    return "" if truth is None else "yes" if truth else "no"
