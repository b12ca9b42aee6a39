"""Reading the methods of a compound task: what the author wrote becomes data, or findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from bthtn.domain.condition import condition_from
from bthtn.domain.method import Method, PlainBody, WrittenMethod, plain_function, written_network
from bthtn.domain.network import Network, calls_in
from bthtn.domain.number import number_from
from bthtn.domain.task import CompoundTask, Task
from bthtn.errors import BthtnError, Diagnostic, nearest
from bthtn.world.state import State

_YIELD: Final = "yield method(...)"

Reading = tuple[tuple[Method, ...], list[Diagnostic]]


def read_methods(
    task: CompoundTask[Any], tasks: Mapping[str, Task], state_class: type[State]
) -> Reading:
    """The methods of the task, and everything that is wrong with them."""
    where = f"compound '{task.name}'"
    methods: list[Method] = []
    found: list[Diagnostic] = []
    try:
        yielded = task.define(*task.parameters)
        if not isinstance(yielded, Iterable):
            return (), [Diagnostic("BT110", f"'{task.name}' returns {yielded!r}", where, _YIELD)]
        written = list(yielded)
    except NameError as error:
        return (), [_dangling(error, tasks, where)]
    except BthtnError as error:
        return (), [_at(diagnostic, where) for diagnostic in error.diagnostics]
    except Exception as error:  # noqa: BLE001 - the author's own code: reported, not hidden
        return (), [Diagnostic("BT110", f"{type(error).__name__}: {error}", where)]
    for index, one in enumerate(written):
        place = f"{where}, method {index}"
        try:
            methods.append(_read(one, state_class))
        except BthtnError as error:
            found.extend(_at(diagnostic, place) for diagnostic in error.diagnostics)
            continue
        found.extend(_strangers(methods[-1], tasks, place))
    if not written:
        found.append(Diagnostic("BT105", f"'{task.name}' has no methods", where, _YIELD))
    return tuple(methods), found


def _read(written: object, state_class: type[State]) -> Method:
    if not isinstance(written, WrittenMethod):
        raise BthtnError(Diagnostic("BT110", f"{written!r} is not a method", hint=_YIELD))
    condition = condition_from(written.when, state_class)
    function = plain_function(written.body)
    body = PlainBody(function, state_class) if function else written_network(written.body)
    return Method(body, condition, written.name, number_from(written.cost, state_class))


def _strangers(method: Method, tasks: Mapping[str, Task], where: str) -> Iterator[Diagnostic]:
    if isinstance(method.body, PlainBody):
        return
    yield from strangers_in(method.body, tasks, where)


def strangers_in(network: Network, tasks: Mapping[str, Task], where: str) -> Iterator[Diagnostic]:
    """A finding for every task in the network that is not one of ``tasks``."""
    for call in calls_in(network):
        if tasks.get(call.task.name) is not call.task:
            yield Diagnostic(
                "BT109",
                f"'{call.task.name}' belongs to another domain",
                where,
                "define the task in this domain",
            )


def _dangling(error: NameError, tasks: Mapping[str, Task], where: str) -> Diagnostic:
    name = error.name or ""
    return Diagnostic("BT101", f"no task is called '{name}'", where, nearest(name, tasks))


def _at(diagnostic: Diagnostic, where: str) -> Diagnostic:
    place = f"{where}: {diagnostic.where}" if diagnostic.where else where
    return Diagnostic(
        diagnostic.code, diagnostic.message, place, diagnostic.hint, diagnostic.severity
    )
