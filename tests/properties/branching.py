"""Random problems with parallel and priority nodes, sensors, pauses, and unknown values.

What each step touches depends on its arguments alone, and no task comes to itself, so generated
functions may search them.
"""

from functools import cache
from random import Random

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    Resource,
    Settings,
    State,
    defer,
    fluent,
    fluents,
    method,
    parallel,
    pause,
    priority,
    sequence,
)
from bthtn.engine.planning.protocol import request


class Post(State):
    """Lamps, counters, a place, doors that nobody moves, and two sensors."""

    lit: Fluent[bool] = fluent(default=False)
    open: Fluent[bool] = fluent(default=True)
    count: Fluent[int] = fluent(default=0)
    left: Fluent[int] = fluent(default=2)
    place: Fluent[str] = fluent(default="a")
    never_read: Fluent[int] = fluent(default=0)
    never_written: Fluent[bool] = fluent(default=True)
    door: FluentFamily[str, bool] = fluents(default=True)
    noise: Fluent[bool] = fluent(default=False, volatile=True)
    light: FluentFamily[str, bool] = fluents(default=True, volatile=True)


PLACES = ("a", "b")
HANDS = (Resource("left hand"), Resource("right hand"))


class Author:
    """Writes a random domain. ``choose`` picks one of several."""

    def __init__(self, choose):
        self._choose = choose
        self._senses = choose((True, False, False))
        self.domain = Domain("branching", Post)
        self._primitives = [self._primitive(n) for n in range(choose((4, 5, 6)))]
        names = [f"task_{n}" for n in range(choose((2, 3, 4)))]
        self._kinds = {name: choose(((), (), (str,), (int,))) for name in names}
        self._compounds = {}
        for name in reversed(names):  # each calls only those behind it
            self._compounds[name] = self.domain.compound(self._written(name, (*self._compounds,)))
        self._top = names[0]

    def _written(self, name, below):
        def task():
            return self._methods(below, ())

        def task_of_one(x):
            return self._methods(below, (x,))

        made = task_of_one if self._kinds[name] else task
        made.__annotations__ = dict(zip("x", self._kinds[name], strict=False))
        made.__name__ = name
        return made

    def _primitive(self, number):
        kinds = self._choose(((), (), (str,), (int,)))

        def described(given):
            return Primitive(
                precondition=self._condition(given) if self._choose((True, False)) else None,
                effects=[self._effect(given) for _ in range(self._choose((0, 1, 1, 2)))],
                uses=self._choose(((), (), (), HANDS[:1], HANDS[1:])),
            )

        def act():
            return described(())

        def act_on(x):
            return described((x,))

        made = act_on if kinds else act
        made.__annotations__ = dict(zip("x", kinds, strict=False))
        made.__name__ = f"act_{number}"
        return self.domain.primitive(made), kinds

    def _condition(self, given):
        own = {one.type: one for one in given}
        several = [
            Post.lit,
            ~Post.open,
            Post.open & Post.never_written,
            Post.count >= self._choose((0, 1, 2)),
            Post.left == own.get(int, 2),
            (Post.place == own.get(str, "a")) & Post.door[own.get(str, "b")],
            Post.door[own.get(str, "a")],
        ]
        if self._senses:
            several += [Post.noise, ~Post.noise & Post.lit, Post.light[own.get(str, "a")]]
        return self._choose(several)

    def _effect(self, given):
        own = {one.type: one for one in given}
        several = (
            Post.lit.becomes(self._choose((True, False))),
            Post.open.becomes(self._choose((True, False))),
            Post.count.increases(own.get(int, 1)),
            Post.count.becomes(own.get(int, 0)),
            Post.left.decreases(1),
            Post.place.becomes(own.get(str, "b")),
            Post.never_read.increases(1),
        )
        return self._choose(several)

    def _call(self, given, below):
        if below and self._choose((True, False)):
            name = self._choose(below)
            task, kinds = self._compounds[name], self._kinds[name]
        else:
            task, kinds = self._choose(self._primitives)
        own = {one.type: one for one in given}
        others = {str: self._choose((Post.place, *PLACES)), int: self._choose((Post.left, 0, 1))}
        return task(*(self._choose((own.get(kind, others[kind]), others[kind])) for kind in kinds))

    def _item(self, given, below, depth):
        kinds = ("call", "call", "call", "parallel", "priority", "sequence", "later")
        kind = self._choose(kinds)
        if depth > 2 or kind == "call":
            return self._call(given, below)
        if kind == "later":
            kind, call = self._choose(("pause", "defer", "call", "call")), self._call(given, below)
            now = self._choose((True, False))
            return {"pause": pause(now=now), "defer": defer(call, now=now), "call": call}[kind]
        parts = [self._item(given, below, depth + 1) for _ in range(self._choose((1, 2, 2, 3)))]
        if kind == "parallel":
            return parallel(*parts, policy=self._choose(("all", "all", "any", "primary")))
        return sequence(*parts) if kind == "sequence" else priority(*parts)

    def _methods(self, below, given):
        for _ in range(self._choose((1, 2, 2, 3))):
            when = self._condition(given) if self._choose((True, False)) else True
            size = self._choose((0, 1, 1, 2, 2, 3))
            yield method(*(self._item(given, below, 0) for _ in range(size)), when=when)

    def goal(self):
        args = [{str: "b", int: 2}[kind] for kind in self._kinds[self._top]]
        whole = self._compounds[self._top](*args)
        behind = self._choose((None, None, None, pause(), defer(whole), pause(now=True)))
        return sequence(whole) if behind is None else sequence(whole, behind, whole)


def problem(choose):
    """A problem, drawn by ``choose``."""
    author = Author(choose)
    state = Post(
        lit=choose((False, True)),
        open=choose((True, True, False, UNKNOWN)),
        count=choose((0, 1)),
        never_written=choose((True, True, True, UNKNOWN)),
        place=choose(PLACES),
        door={place: choose((True, False)) for place in PLACES},
        noise=choose((False, True)),
        light={"a": choose((True, False))},
    )
    settings = Settings(max_expansions=choose((40, 400)))
    return request(author.domain.freeze(), state, author.goal(), settings)


@cache
def from_seed(seed):
    """A random problem, the same for the same seed."""
    return problem(Random(seed).choice)  # noqa: S311 - to be the same everywhere is its purpose
