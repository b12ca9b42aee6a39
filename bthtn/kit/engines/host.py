"""EngineHost: the characters of one tree, for any number of engines.

Each engine has a connection, which answers its requests, JSON as docs/engine-protocol.md says:

    connection = EngineHost(make, name="gatekeeper").connect()
    connection.answer({"hello": {"protocol": "bthtn-engine/1"}})
    connection.answer({"spawn": [{"character": "Bob"}]})
    connection.answer({"frame": [{"character": "Bob", "beliefs": {"visitor": True}}]})
    connection.close()

All is done in the thread that calls; only one thread may.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from bthtn.behaviours import Character
from bthtn.engine.agent.programming_errors import text_of
from bthtn.engine.domain.number import TOLERANCE
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import BthtnError, InputError, nearest
from bthtn.kit.engines.hello import interface
from bthtn.kit.engines.session import EngineSession, as_error, error_of
from bthtn.kit.recording.event_log import EVENT_KINDS
from bthtn.kit.recording.recorder import Recorder
from bthtn.version import VERSION

PROTOCOL: Final = "bthtn-engine/1"

Json = dict[str, Any]
_Fault = Callable[[Exception], BthtnError]


class EngineHost(Unpicklable):
    """The characters that ``make`` makes of their seeds, by the names that engines give them.

    ``name`` is that of the tree, ``seed`` the first character's. A connection has to know the
    ``token``, unless that is empty. With a folder ``record``, each character is recorded in it.
    ``fault`` makes the error of an exception that users' code has raised.
    """

    def __init__(
        self,
        make: Callable[[int], Character],
        *,
        name: str,
        seed: int = 0,
        token: str = "",
        record: Path | None = None,
        fault: _Fault | None = None,
    ) -> None:
        """Raises what ``make`` raises: the first character is made at once."""
        self.make = make
        self.name = name
        self.token = token
        self.record = record
        self.fault = fault or _fault
        self.next_seed = seed
        self.served: dict[str, _Served] = {}
        first = EngineSession(make(seed))
        self._first: tuple[int, EngineSession] | None = (seed, first)
        time = "ticks" if first.clock is None else "seconds"
        self.hello: Json = {"protocol": PROTOCOL, "bthtn": VERSION, "tree": name, "time": time}
        self.hello |= {**interface(first), "events": sorted(EVENT_KINDS)}

    @property
    def characters(self) -> Mapping[str, Character]:
        """The characters that are served, by their names."""
        return {name: served.session.character for name, served in self.served.items()}

    def connect(self) -> EngineConnection:
        """A connection for one more engine."""
        return EngineConnection(self)

    def close(self) -> None:
        """End all characters."""
        while self.served:
            self.served.pop(next(iter(self.served))).close()

    def new_session(self, seed: int) -> EngineSession:
        """A character of its own; the first one was made already."""
        first, self._first = self._first, None
        return (
            first[1] if first is not None and first[0] == seed else EngineSession(self.make(seed))
        )


@dataclass(eq=False)
class _Served:
    """A character that is served.

    ``owner`` is the connection that has it, None if that was closed. ``time`` is the owner's time
    up to which its clock was advanced, ``ticked`` that of its latest tick, and ``due`` that at
    which it needs the next one, as far as that is known.
    """

    name: str
    seed: int
    session: EngineSession
    owner: EngineConnection | None
    time: float
    ticked: float = 0.0
    due: float = 0.0
    is_paused: bool = False
    recorder: Recorder | None = None

    def catch_up(self, now: float) -> None:
        """Let the seconds pass that have passed for its owner."""
        if not self.is_paused and now > self.time:
            self.session.advance(now - self.time)
        self.time = now

    def tick(self, told: Json, now: float, *, says_due: bool) -> Json:
        """Raises InputError, and exceptions of users' code."""
        self.catch_up(now)
        self.due = self.ticked = now
        answer = self.session.tick(told)
        if says_due:
            # To know takes a third of a tick, in vain for those who are told something each frame.
            due = answer["due"] = 0.0 if told else self.session.character.due_in()
            self.due = inf if due is None else now + due
        if self.recorder is not None:
            self.recorder.tick()
        return answer

    def due_in(self, now: float) -> float | None:
        """In how many seconds it needs its next tick; None if never."""
        due = self.session.character.due_in()
        return None if due is None else max(0.0, self.ticked + due - now)

    def close(self) -> list[int]:
        try:
            return self.session.close()
        finally:
            if self.recorder is not None:
                self.recorder.end(finished=True)


class EngineConnection(Unpicklable):
    """What an engine says, and hears; ``answer`` answers one request."""

    def __init__(self, host: EngineHost) -> None:
        self.is_closed = False
        """Whether it is over: it was closed, or has not known the token."""
        self._host = host
        self._now = 0.0
        self._says_due = False
        self._aborts: list[str] | None = None  # None before hello
        self._events: frozenset[str] = frozenset()
        self._texts = False
        self._verbs: dict[str, Callable[[Any, Json], Any]] = {
            "hello": self._hello,
            "subscribe": self._subscribe,
            "frame": self._frame,
            "spawn": self._each(self._spawn),
            "load": self._each(self._load),
            "dismiss": self._each(self._dismiss),
            "pause": self._each(self._pause),
            "resume": self._each(self._resume),
            "save": self._each(self._save),
            "list": self._list,
        }

    def answer(self, request: object) -> Json:
        """The answer to a request; never raises for what an engine, or users' code, does."""
        about = {"id": request["id"]} if isinstance(request, dict) and "id" in request else {}
        try:
            verb, value, more = self._verb(request)
            return {**about, verb: self._verbs[verb](value, more)}
        except InputError as error:
            return {**about, "error": as_error(error)}

    def close(self) -> None:
        """The engine is gone: its characters stand still until another one takes them."""
        self.is_closed = True
        for served in self._own():
            served.catch_up(self._now)
            served.owner = None

    def _own(self) -> list[_Served]:
        return [served for served in self._host.served.values() if served.owner is self]

    def _verb(self, request: object) -> tuple[str, Any, Json]:
        """The verb of a request, its value, and what is beside it. Raises InputError."""
        if not isinstance(request, dict):
            raise _unusable(f"a request is {type(request).__name__}", hint=_HINT)
        more = {name: value for name, value in request.items() if name != "id"}
        verbs = [name for name in more if name in self._verbs]
        if len(verbs) != 1:
            word = next(iter(more), "")
            hint = nearest(word, self._verbs) if more and not verbs else _HINT
            raise _unusable(f"a request has {len(verbs)} verbs", hint=hint)
        verb, value = verbs[0], more.pop(verbs[0])
        for name in more:
            if name not in _BESIDE.get(verb, ()):
                raise _unusable(f"'{verb}' has no '{name}' beside it", name, "leave it out")
        if self._aborts is None and verb != "hello":
            raise _unusable(
                "the first request is not 'hello'",
                hint=f'begin with {{"hello": {{"protocol": "{PROTOCOL}"}}}}',
            )
        return verb, value, more

    # verbs

    def _hello(self, value: Any, _: Json) -> Json:
        told = _object(value, "hello", ("protocol", "token", "aborts"))
        if told.get("protocol") != PROTOCOL:
            message = f"the engine speaks {told.get('protocol')!r}, and bthtn {VERSION} {PROTOCOL}"
            raise InputError("BT447", message, "hello.protocol", "use a client of this version")
        if self._host.token and told.get("token") != self._host.token:
            self.is_closed = True
            hint = "give the token that bthtn serve has printed"
            raise InputError("BT447", "the token is not right", "hello.token", hint)
        aborts = _texts(told.get("aborts", []), "hello.aborts")
        known = {task["name"] for agent in self._host.hello["agents"] for task in agent["tasks"]}
        for name in aborts:
            InputError.require(name, known, "BT434", f"no task is called '{name}'", "hello.aborts")
        self._aborts = aborts
        return self._host.hello

    def _subscribe(self, value: Any, _: Json) -> Json:
        told = _object(value, "subscribe", ("events", "text"))
        events, where = _texts(told.get("events"), "subscribe.events"), "subscribe.events"
        for name in events:
            message = f"no kind of events is called '{name}'"
            InputError.require(name, EVENT_KINDS, "BT434", message, where)
        texts = told.get("text", False)
        if not isinstance(texts, bool):
            raise _unusable(f"'text' is {texts!r}", "subscribe.text", "write true or false")
        self._events, self._texts = frozenset(events), texts
        for served in self._own():
            self._subscribe_to(served.session)
        return {"events": events, "text": texts}

    def _frame(self, value: Any, more: Json) -> list[Json]:
        items = _array(value, "frame")
        seconds, wants_due = more.get("seconds", 0), more.get("due", False)
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not 0 <= seconds < _LONGEST - self._now:
            message = f"'seconds' are {reprlib.repr(seconds)}"
            raise _unusable(message, "seconds", "give those since the frame before, 0 or more")
        if not isinstance(wants_due, bool):
            raise _unusable(f"'due' is {reprlib.repr(wants_due)}", "due", "write true or false")
        self._now += seconds
        self._says_due = wants_due
        answers = [self._ticked(item, f"frame[{number}]") for number, item in enumerate(items)]
        if wants_due:
            listed = {answer.get("character") for answer in answers}
            for served in self._own():
                is_due = served.due <= self._now + TOLERANCE and not served.is_paused
                if is_due and served.name not in listed:
                    answers.append(self._ticked({"character": served.name}, "due"))
        return answers

    def _ticked(self, item: Any, where: str) -> Json:
        """Tick a character, and say what it does."""
        return self._item(self._tick, item, where)

    def _tick(self, item: Any, where: str) -> Json:
        if not isinstance(item, dict):
            raise _unusable(f"an item is {type(item).__name__}", hint='write {"character": "Bob"}')
        served = self._named(item.pop("character", None), "character")
        answer = served.tick(item, self._now, says_due=self._says_due)
        answer = {"character": served.name, **answer}
        for fault in answer.get("refused", ()):
            fault["where"] = f"{where}.{fault['where']}"
        return answer

    def _spawn(self, item: Any, _: str) -> Json:
        told = _object(item, "", ("character", "seed"))
        name, seed = self._new_name(told), told.get("seed", self._host.next_seed)
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise _unusable(f"the seed is {reprlib.repr(seed)}", "seed", "give a whole number")
        self._host.next_seed = seed + 1
        session = self._host.new_session(seed)
        self._add(name, seed, session)
        return {"character": name, "seed": seed, "agents": list(session.agents)}

    def _load(self, item: Any, _: str) -> Json:
        told = _object(item, "", ("character", "saved"))
        name, saved = told.get("character"), told.get("saved")
        if isinstance(name, str) and name in self._host.served:
            self._named(name, "character")
        else:
            name = self._new_name(told)
        seed = saved.get("seed") if isinstance(saved, dict) else None
        if not isinstance(saved, dict) or not isinstance(seed, int) or isinstance(seed, bool):
            raise _unusable("this is no saved character", "saved", "give what 'save' gave")
        session = self._host.new_session(seed)
        try:
            session.load(saved)
        except InputError as error:
            session.close()
            raise error.placed("saved") from None
        if name in self._host.served:
            self._host.served[name].close()
        self._add(name, seed, session)
        return {"character": name, "steps": session.steps}

    def _dismiss(self, name: Any, _: str) -> Json:
        served = self._named(name)
        del self._host.served[served.name]
        return {"character": served.name, "aborts": served.close()}

    def _pause(self, name: Any, _: str) -> Json:
        served = self._named(name)
        served.catch_up(self._now)
        served.is_paused = True
        return {"character": served.name}

    def _resume(self, name: Any, _: str) -> Json:
        served = self._named(name)
        served.catch_up(self._now)
        served.is_paused, served.due = False, self._now
        return {"character": served.name}

    def _save(self, name: Any, _: str) -> Json:
        served = self._named(name)
        served.catch_up(self._now)
        saved = {**served.session.save(), "seed": served.seed}
        return {"character": served.name, "saved": saved}

    def _list(self, value: Any, _: Json) -> list[Json]:
        names = _array(value, "list") or list(self._host.served)
        return [self._item(self._listed, name, f"list[{at}]") for at, name in enumerate(names)]

    def _listed(self, name: Any, _: str) -> Json:
        served = self._known(name)
        character, session = served.session.character, served.session
        now = served.time if served.owner is None else served.owner._now
        return {
            "character": served.name,
            "seed": served.seed,
            "tick": character.ticks,
            "status": character.root.status.name,
            "finished": character.finished,
            "paused": served.is_paused,
            "due": served.due_in(now),
            "steps": session.steps,
        }

    # items

    def _each(self, act: Callable[[Any, str], Json]) -> Callable[[Any, Json], list[Json]]:
        """A verb that does something for each item of an array."""

        def acted(value: Any, _: Json) -> list[Json]:
            verb = act.__name__.strip("_")
            items = _array(value, verb)
            return [self._item(act, item, f"{verb}[{at}]") for at, item in enumerate(items)]

        return acted

    def _item(self, act: Callable[[Any, str], Json], item: Any, where: str) -> Json:
        """What is done for an item, or the error in it, or in users' code."""
        name = item.get("character") if isinstance(item, dict) else item
        about = {"character": name} if isinstance(name, str) else {}
        try:
            return act(item, where)
        except BthtnError as error:
            return {**about, "error": as_error(error, where)}
        except Exception as error:  # noqa: BLE001 - users' code: contained and reported
            fault = self._host.fault(error).diagnostics[0]
            return {**about, "error": error_of(fault, where)}

    def _known(self, name: Any, where: str = "") -> _Served:
        """The character of a name. Raises InputError."""
        served = self._host.served.get(name) if isinstance(name, str) else None
        if served is None:
            raise unknown(name, self._host.served, where)
        return served

    def _named(self, name: Any, where: str = "") -> _Served:
        """The character of a name, which is this connection's from now on. Raises InputError."""
        served = self._known(name, where)
        if served.owner is not self:
            if served.owner is not None:
                message = f"the character '{name}' belongs to another connection"
                raise InputError("BT448", message, where, "it is free when that one ends")
            served.owner, served.time = self, self._now
            served.due = self._now
            self._serve(served.session)
        return served

    def _new_name(self, told: Json) -> str:
        name = told.get("character")
        if not isinstance(name, str) or not name:
            raise _unusable(
                f"a character is called {reprlib.repr(name)}", "character", "give it a name"
            )
        if name in self._host.served:
            hint = "dismiss that one first, or load into it"
            raise InputError("BT448", f"there is a character '{name}' already", "character", hint)
        return name

    def _add(self, name: str, seed: int, session: EngineSession) -> None:
        self._serve(session)
        folder, recorder = self._host.record, None
        if folder is not None:
            file = folder / f"{quote(name, safe=' ')}.jsonl"
            recorder = Recorder(file, session.character, name=self._host.name, seed=seed)
        now = self._now
        served = _Served(name, seed, session, self, now, now, now, recorder=recorder)
        self._host.served[name] = served

    def _serve(self, session: EngineSession) -> None:
        session.aborts = frozenset(self._aborts or ())
        self._subscribe_to(session)

    def _subscribe_to(self, session: EngineSession) -> None:
        session.events, session.texts = self._events, self._texts


_LONGEST: Final = 2.0**53
_HINT: Final = 'write a verb, such as {"frame": []}'
_BESIDE: Final = {"frame": ("seconds", "due")}
"""What a request may have beside its verb and its id."""


def _fault(error: Exception) -> BthtnError:
    return InputError("BT402", text_of(error))


def unknown(name: Any, known: Collection[str], where: str) -> InputError:
    """The mistake of a name that no character has."""
    hint = nearest(name, known) if isinstance(name, str) else ""
    hint = hint or 'make it with {"spawn": [{"character": "Bob"}]}'
    return InputError("BT448", f"there is no character {reprlib.repr(name)}", where, hint)


def _object(value: Any, verb: str, known: tuple[str, ...]) -> Json:
    """An object that has only known entries. Raises InputError."""
    if not isinstance(value, dict):
        raise _unusable(
            f"'{verb or 'an item'}' is {type(value).__name__}", verb, "give it an object"
        )
    for name in value:
        if name not in known:
            where = ".".join(filter(None, (verb, str(name))))
            raise _unusable(
                f"'{verb or 'an item'}' has no '{name}'", where, nearest(str(name), known)
            )
    return value


def _array(value: Any, verb: str) -> list[Any]:
    if not isinstance(value, list):
        raise _unusable(f"'{verb}' is {type(value).__name__}", verb, "give it an array")
    return value


def _texts(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _unusable(f"'{where}' is {reprlib.repr(value)}", where, "give it an array of names")
    return value


def _unusable(message: str, where: str = "", hint: str = "") -> InputError:
    return InputError("BT434", message, where, hint)
