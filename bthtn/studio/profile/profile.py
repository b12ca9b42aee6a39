"""Profile: times methods of the engine inside of a ``with``; rows and flame graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import wraps
from threading import get_ident
from time import perf_counter_ns
from typing import Any, Final, NamedTuple, Self

from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import ExecutionError
from bthtn.studio.profile.seams import Seam, seams
from bthtn.studio.profile.stacks import Call, Label, Stacks
from bthtn.version import VERSION

SCHEMA: Final = "https://www.speedscope.app/file-format-schema.json"
_HEADING: Final = ("kind", "name", "calls", "total ms", "own ms", "mean µs", "max µs")
_TEXTS: Final = 2  # columns of texts, before those of numbers
_ELSEWHERE: Final = nullcontext()
_END: Final = object()
_TIMED: Final = "_is_timed_by"
"""The attribute of a method that a profile has put in place of another."""


class Row(NamedTuple):
    """How often something was called, and the nanoseconds that it took.

    ``total`` are all that passed in the calls, ``own`` those in which nothing else was at work that
    has a row, ``longest`` those of the longest call. A call of a node is a tick of it.
    """

    kind: str
    name: str
    calls: int
    total: int
    own: int
    longest: int


class Profile(Unpicklable):
    """Measures where the time goes inside of a ``with``, in the thread that has entered it.

    Entered again, it goes on. Meanwhile methods of bthtn and of behaviours are replaced by timed
    ones: before and after, nothing is slower. ``clock`` returns nanoseconds.
    """

    def __init__(self, *, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._stacks = Stacks(clock)
        self._thread = 0
        self._replaced = ExitStack()

    def __enter__(self) -> Self:
        """Raises ExecutionError inside of another profile."""
        with ExitStack() as replaced:
            for seam in seams():
                method = vars(seam.owner)[seam.method]
                if hasattr(method, _TIMED):
                    hint = "measure one after the other; one that is entered again goes on"
                    raise ExecutionError("BT321", "a profile is being measured already", hint=hint)
                setattr(seam.owner, seam.method, self._timed(method, seam))
                replaced.callback(setattr, seam.owner, seam.method, method)
            self._replaced = replaced.pop_all()
        self._thread = get_ident()
        self._stacks.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Put the methods back."""
        self._stacks.stop()
        self._replaced.close()

    @property
    def rows(self) -> tuple[Row, ...]:
        """A row for each kind and name, sorted by own time, the longest first."""
        totals = {stack: stack.own for stack in self._stacks.all}
        rows: dict[Label, Row] = {}
        for stack in reversed(self._stacks.all):
            if stack.outside in totals:
                totals[stack.outside] += totals[stack]
            row = rows.get(stack.label, Row(*stack.label, 0, 0, 0, 0))
            rows[stack.label] = row._replace(
                calls=row.calls + stack.calls,
                total=row.total + (0 if stack.is_inside_itself else totals[stack]),
                own=row.own + stack.own,
                longest=max(row.longest, stack.longest),
            )
        return tuple(sorted(rows.values(), key=lambda row: (-row.own, row.kind, row.name)))

    def speedscope(self, name: str = "bthtn") -> dict[str, Any]:
        """The own times of all that was at work at once, as a file of speedscope.app has them."""
        stacks = [stack for stack in self._stacks.all if stack.own]
        labels = dict.fromkeys(label for stack in stacks for label in stack.labels)
        numbers = {label: number for number, label in enumerate(labels)}
        return {
            "$schema": SCHEMA,
            "name": name,
            "exporter": f"bthtn {VERSION}",
            "shared": {"frames": [{"name": " ".join(label)} for label in labels]},
            "profiles": [
                {
                    "type": "sampled",
                    "name": name,
                    "unit": "nanoseconds",
                    "startValue": 0,
                    "endValue": sum(stack.own for stack in stacks),
                    "samples": [[numbers[label] for label in stack.labels] for stack in stacks],
                    "weights": [stack.own for stack in stacks],
                }
            ],
        }

    def __str__(self) -> str:
        """The rows as a table."""
        table = [_HEADING, *map(_cells, self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return "\n".join("  ".join(_padded(cells, widths)) for cells in table)

    def _timed(self, method: Callable[..., Any], seam: Seam) -> Callable[..., Any]:
        """The method of a seam, timed."""
        forms = {"call": self._plain, "steps": self._steps, "block": self._block}
        form: Callable[..., Any] = forms[seam.form]

        @wraps(method)
        def timed(*args: Any, **named: Any) -> Any:
            return form(method, seam, *args, **named)

        setattr(timed, _TIMED, self)
        return timed

    def _plain(self, method: Callable[..., Any], seam: Seam, *args: Any, **named: Any) -> Any:
        with self._call(seam, *args, **named):
            return method(*args, **named)

    @contextmanager
    def _block(self, method: Callable[..., Any], seam: Seam, *args: Any) -> Iterator[Any]:
        with self._call(seam, *args), method(*args) as given:
            yield given

    def _steps(self, method: Callable[..., Any], seam: Seam, *args: Any) -> Iterator[Any]:
        if self._stacks.subject is args[0]:  # it calls the method of its base class
            yield from method(*args)
            return
        call, steps = self._call(seam, *args), method(*args)
        while True:
            with call:
                step = next(steps, _END)
            if step is _END:
                return
            yield step

    def _call(self, seam: Seam, *args: Any, **named: Any) -> AbstractContextManager[object]:
        """What is at work in a call of a method."""
        if get_ident() != self._thread:
            return _ELSEWHERE
        try:
            label = seam.label(*args, **named)
        except Exception:  # noqa: BLE001 - a name that users' code makes: a view must not end the run
            label = Label("node", type(args[0]).__name__)
        return Call(self._stacks, label, args[0])


def _cells(row: Row) -> tuple[str, ...]:
    mean = row.total / row.calls if row.calls else 0
    milliseconds = [f"{time / 1e6:.2f}" for time in (row.total, row.own)]
    microseconds = [f"{time / 1e3:.1f}" for time in (mean, row.longest)]
    return (row.kind, row.name, str(row.calls), *milliseconds, *microseconds)


def _padded(cells: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    for column, (text, width) in enumerate(zip(cells, widths, strict=True)):
        yield text.ljust(width) if column < _TEXTS else text.rjust(width)
