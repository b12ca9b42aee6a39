"""WorkerHost: the characters of a tree, spread over several processes.

Each worker is a ``bthtn serve`` of its own, to which each connection of an engine has one of its
own; a request is split, and the answers are put together again. A character is in the worker whose
turn it was when it was spawned, and knows of no other: what it does does not depend on how many
workers there are.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from subprocess import PIPE, Popen
from typing import Any, Final

from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import InputError
from bthtn.kit.engines.host import unknown
from bthtn.kit.engines.session import as_error

Json = dict[str, Any]

_ENDED: Final = "BT449"
_ITEM: Final = re.compile(r"^(\w+)\[\d+\]")
_SPLIT: Final = frozenset({"spawn", "load", "dismiss", "pause", "resume", "save", "list", "frame"})
"""The verbs of which each worker does its part."""


class WorkerHost(Unpicklable):
    """Starts ``count`` processes of ``command``, which prints where it listens.

    ``seed`` is that of the first character. A connection has to know the ``token``, unless that
    is empty.
    """

    def __init__(
        self, command: Sequence[str], count: int, *, seed: int = 0, token: str = ""
    ) -> None:
        """Raises InputError for a process that ends at once; it has said why."""
        self.token = token
        self.next_seed = seed
        self.places: dict[str, int] = {}
        """The worker of each character, in the order in which they were spawned."""
        self.turn = 0
        self._open = ExitStack()
        try:
            self._workers = [_Worker(command, self._open) for _ in range(count)]
            for worker in self._workers:
                worker.listen()
        except BaseException:
            self._open.close()
            raise

    @property
    def processes(self) -> list[int]:
        """The numbers of the processes."""
        return [worker.process.pid for worker in self._workers]

    def connect(self) -> WorkerConnection:
        """A connection for one more engine."""
        return WorkerConnection(self, [worker.connected() for worker in self._workers])

    def close(self) -> None:
        """End all characters, and the processes."""
        self._open.close()

    def place_for(self, name: str) -> int:
        """The worker of a character: one that is not there yet is the next one's."""
        if name and name not in self.places:
            self.places[name] = self.turn
            self.turn = (self.turn + 1) % len(self._workers)
        return self.places.get(name, 0)


class _Worker:
    """A process, ended with the stack that it is put on."""

    def __init__(self, command: Sequence[str], stack: ExitStack) -> None:
        process = Popen(command, stdout=PIPE, stdin=PIPE, text=True)  # noqa: S603 - ours
        self.process = stack.enter_context(process)
        stack.callback(self.process.terminate)
        self._address = ("", 0)
        self._token = ""

    def listen(self) -> None:
        """Wait until it says where it listens. Raises InputError if it ends."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise InputError(_ENDED, "a worker has ended", hint="what it printed says why")
        told = json.loads(line)
        host, _, port = told["tcp"].removeprefix("tcp://").partition(":")
        self._address, self._token = (host, int(port)), told["token"]

    def connected(self) -> _Wire:
        return _Wire(socket.create_connection(self._address), self._token)


class _Wire:
    """A connection to a worker: lines of JSON."""

    def __init__(self, connection: socket.socket, token: str) -> None:
        self.token = token
        self._socket = connection
        self._file = connection.makefile("rw", encoding="utf-8", newline="\n")

    def ask(self, request: Any) -> None:
        with suppress(OSError):  # the answer will be missing
            self._file.write(json.dumps(request) + "\n")
            self._file.flush()

    def answer(self) -> Json:
        """The answer to the oldest request, or the error of a worker that has ended."""
        try:
            line = self._file.readline()
        except OSError:
            line = ""
        if line:
            answer: Json = json.loads(line)
            return answer
        hint = "load its characters from what was saved"
        return {"error": as_error(InputError(_ENDED, "the worker has ended", hint=hint))}

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()
        self._socket.close()


class WorkerConnection(Unpicklable):
    """What an engine says, passed on to the workers, and what they answer."""

    def __init__(self, host: WorkerHost, wires: list[_Wire]) -> None:
        self.is_closed = False
        self._host = host
        self._wires = wires

    def answer(self, request: object) -> Json:
        """The answer to a request, as an ``EngineConnection`` gives it."""
        if not isinstance(request, dict):
            return self._asked({0: request})[0]
        about = {"id": request["id"]} if "id" in request else {}
        told = {name: value for name, value in request.items() if name != "id"}
        verb = next((name for name in told if name in _SPLIT), "")
        if verb and isinstance(told[verb], list):
            return {**about, **self._split(verb, told.pop(verb), told)}
        if isinstance(told.get("hello"), dict):
            return {**about, **self._hello(told)}
        return {**about, **self._same(told)}

    def close(self) -> None:
        """The engine is gone; so are its connections to the workers."""
        self.is_closed = True
        for wire in self._wires:
            wire.close()

    def _hello(self, told: Json) -> Json:
        """Greet all workers, each with its own token."""
        hello = told["hello"]
        if self._host.token and hello.get("token") != self._host.token:
            self.is_closed = True
            hint = "give the token that bthtn serve has printed"
            fault = InputError("BT447", "the token is not right", "hello.token", hint)
            return {"error": as_error(fault)}
        answers = self._asked(
            {
                place: {**told, "hello": {**hello, "token": wire.token}}
                for place, wire in enumerate(self._wires)
            }
        )
        return _first(answers)

    def _same(self, told: Json) -> Json:
        """Tell all workers the same; the answer that they all give, or the first error."""
        return _first(self._asked(dict.fromkeys(range(len(self._wires)), told)))

    def _split(self, verb: str, items: list[Any], more: Json) -> Json:
        """Let each worker do the items of its characters, and put their answers together."""
        host, known = self._host, set(self._host.places)
        if verb == "list":
            items = items or list(host.places)
        if verb == "spawn":
            items = list(self._with_seeds(items))
        parts: dict[int, list[int]] = {place: [] for place in range(len(self._wires))}
        listed: dict[int, Json] = {}
        for at, item in enumerate(items):
            name = _name(item)
            if verb in ("spawn", "load"):
                parts[host.place_for(name)].append(at)
            elif name in host.places or (verb == "frame" and not isinstance(item, dict)):
                parts[host.places.get(name, 0)].append(at)
            else:  # a worker would compare it with the names that it knows
                listed[at] = self._unknown(verb, at, item)
        answers = self._asked(
            {
                place: {**more, verb: [items[at] for at in numbers]}
                for place, numbers in parts.items()
                if numbers or verb == "frame" or place == 0
            }
        )
        for place, answer in answers.items():
            if "error" in answer:
                if answer["error"]["code"] != _ENDED:  # of the request, not of the worker
                    return answer
                answers[place] = {verb: [_lost(items[at], answer) for at in parts[place]]}
        merged = self._merged(verb, parts, answers, listed)
        done = {_name(answer) for answer in merged if "error" not in answer}
        gone = done if verb == "dismiss" else host.places.keys() - known - done
        for name in gone:
            del host.places[name]
        return {verb: merged}

    def _with_seeds(self, items: list[Any]) -> Iterator[Any]:
        """Items of ``spawn``, each with a seed: the workers would count from their own."""
        known = set(self._host.places)
        for item in items:
            name = _name(item)
            if not isinstance(item, dict) or not name or name in known:
                yield item
                continue
            known.add(name)
            seed = item.get("seed", self._host.next_seed)
            if isinstance(seed, int):
                self._host.next_seed = seed + 1
            yield {**item, "seed": seed}

    def _unknown(self, verb: str, at: int, item: Any) -> Json:
        """The answer for an item of a character that is in no worker."""
        where = f"{verb}[{at}]" + ".character" * (verb == "frame")
        name = item.get("character") if isinstance(item, dict) else item
        about = {"character": name} if isinstance(name, str) else {}
        return {**about, "error": as_error(unknown(name, self._host.places, where))}

    def _merged(
        self,
        verb: str,
        parts: dict[int, list[int]],
        answers: dict[int, Json],
        listed: dict[int, Json],
    ) -> list[Json]:
        """All items in the order of the request; those that were due behind them."""
        due: list[Json] = []
        for place, answer in answers.items():
            numbers, found = parts[place], answer[verb]
            listed.update((at, _at(item, at)) for at, item in zip(numbers, found, strict=False))
            due += found[len(numbers) :]
        order = {name: number for number, name in enumerate(self._host.places)}
        due.sort(key=lambda answer: order[answer["character"]])
        return [listed[at] for at in sorted(listed)] + due

    def _asked(self, requests: dict[int, Any]) -> dict[int, Json]:
        """The answers of workers to requests; all work on theirs at the same time."""
        for place, request in requests.items():
            self._wires[place].ask(request)
        return {place: self._wires[place].answer() for place in requests}


def _first(answers: dict[int, Json]) -> Json:
    wrong = (answer for answer in answers.values() if "error" in answer)
    return next(wrong, answers[0])


def _name(item: Any) -> str:
    """The name of the character of an item, empty if it has none."""
    name = item.get("character") if isinstance(item, dict) else item
    return name if isinstance(name, str) else ""


def _lost(item: Any, answer: Json) -> Json:
    """The answer for an item of a worker that has ended."""
    return {**({"character": name} if (name := _name(item)) else {}), **answer}


def _at(answer: Json, at: int) -> Json:
    """An item's answer with the places of its errors in the whole request."""
    faults = [answer["error"]] if "error" in answer else answer.get("refused", ())
    for fault in faults:
        fault["where"] = _ITEM.sub(rf"\1[{at}]", fault["where"])
    return answer
