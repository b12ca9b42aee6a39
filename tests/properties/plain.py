"""Random problems in which all is plain data, so that only choices have to be searched for.

Those of the playground are seldom like that, so these have a world and an author of their own:
tasks come to themselves in many ways, with arguments that count, walk, or stay.
"""

from contextlib import suppress
from dataclasses import replace
from functools import cache
from random import Random

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    Settings,
    State,
    fluent,
    fluents,
    method,
    sequence,
)
from bthtn.engine.plan.nodes import ScopeNode, TaskNode
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.exclusions import avoidable
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import request
from bthtn.errors import PlanningError


class Board(State):
    """Lamps, counters, somebody's place, and a ring of places with things on them."""

    lit: Fluent[bool] = fluent(default=False)
    open: Fluent[bool] = fluent(default=True)
    count: Fluent[int] = fluent(default=0)
    left: Fluent[int] = fluent(default=2)
    fuel: Fluent[float] = fluent(default=1.5)
    place: Fluent[str] = fluent(default="a")
    never_read: Fluent[int] = fluent(default=0)
    next: FluentFamily[str, str] = fluents(default="a")
    on: FluentFamily[str, str] = fluents(default="")
    weight: FluentFamily[str, int] = fluents(default=1)
    road: FluentFamily[str, str] = fluents(default="b")


PLACES = ("a", "b", "c")


class Sensing(Board):
    """The same, with something that nobody can foresee. No task asks for it."""

    noise: Fluent[bool] = fluent(default=False, volatile=True)


class Author:
    """Writes a random domain. ``choose`` picks one of several; ``sums`` is what adds up.

    With ``is_easy`` many goals have many plans.
    """

    def __init__(self, choose, sums=None, *, is_easy=False):
        self._choose = choose
        self._sums = sums
        self._is_easy = is_easy
        self._asks = choose(((True, True, False), (True, *[False] * 7), (True, *[False] * 7)))
        self.board = choose((Board, Board, Sensing))
        self.domain = Domain("random", self.board)
        self._tasks = []
        self._primitives = [self._primitive(n) for n in range(choose((3, 4, 5)))]
        self._checks = [
            self.domain.primitive(f"check_{n}", precondition=self._demand()) for n in range(2)
        ]
        names = [f"task_{n}" for n in range(choose((2, 3, 4)))]
        self._kinds = {name: choose(((), (), (str,), (int,), (str, int))) for name in names}
        self._compounds = {}
        for name in names:
            self._compounds[name] = self.domain.compound(self._written(name))

    def _written(self, name):
        def task():
            return self._methods(name, ())

        def task_of_one(x):
            return self._methods(name, (x,))

        def task_of_two(x, y):
            return self._methods(name, (x, y))

        kinds = self._kinds[name]
        made = (task, task_of_one, task_of_two)[len(kinds)]
        made.__annotations__ = dict(zip("xy", kinds, strict=False))
        made.__name__ = name
        return made

    # expressions

    def _text(self, given):
        own = [one for one in given if one.type is str]
        place = self._choose((*own, *own, *own, self.board.place, *PLACES))
        how = self._choose(("plain",) * 5 + ("next", "on", "road"))
        if how == "road":
            other = self._choose((*own, self.board.place, *PLACES))
            return self.board.road[self.board.place + "-" + other]
        return place if how == "plain" else getattr(self.board, how)[place]

    def _number(self, given):
        own = [one for one in given if one.type is int]
        number = self._choose((*own, *own, *own, self.board.count, self.board.left, 0, 1, 2))
        how = self._choose(("plain",) * 4 + ("more", "less", "less", "weight"))
        if how == "weight":
            return self.board.weight[self._text(given)]
        if how != "plain":
            return number + 1 if how == "more" else number - 1
        return number

    def _condition(self, given):
        kinds = ("lit", "open", "number", "number", "place", "on", "and", "or", "not")
        match self._choose(kinds):
            case "lit":
                return self.board.lit
            case "open":
                return ~self.board.open
            case "number":
                board = self.board
                own = [one for one in given if one.type is int]
                several = (board.count, board.left, board.fuel, board.weight["a"], *own)
                number = self._choose(several)
                other = self._number(given)
                return self._choose((number < other, number >= other, number == other))
            case "place":
                return self.board.place == self._text(given)
            case "on":
                return self.board.on[self._text(given)] == self._text(given)
            case "and":
                return self._condition(given) & self._condition(given)
            case "or":
                return self._condition(given) | self._condition(given)
            case _:
                return ~self._condition(given)

    def _demand(self):
        """What a first attempt seldom leads to."""
        several = (
            self.board.lit,
            ~self.board.open,
            self.board.count >= self._choose((1, 2, 3)),
            self.board.left == self._choose((0, 1)),
            self.board.place == self._choose(PLACES),
            self.board.on[self._choose(PLACES)] == self._choose(("", *PLACES)),
            self.board.on[self.board.place] == self._choose(PLACES),
            self.board.weight[self._choose(PLACES)] >= self._choose((1, 2)),
        )
        return self._choose(several) & self._choose(several)

    def _effect(self, given):
        kinds = ("lit", "open", "count", "left", "fuel", "place", "no", *["on"] * 5, "weight")
        match self._choose(kinds):
            case "lit":
                return self.board.lit.becomes(self._choose((True, True, False)))
            case "open":
                return self.board.open.becomes(self._choose((False, False, self.board.lit)))
            case "count":
                return self.board.count.increases(self._choose((1, 1, 2, self._number(given))))
            case "left":
                return self._choose((self.board.left.decreases(1), self.board.left.becomes(2)))
            case "fuel":
                return self.board.fuel.decreases(self._choose((0.5, 1)))
            case "place":
                return self.board.place.becomes(self._text(given))
            case "on":
                start, to = self.board.place, self._choose(PLACES)
                members = [self.board.on[self._text(given)]] * 2 + [
                    self.board.road[start + "-" + to]
                ]
                return self._choose(members).becomes(self._text(given))
            case "weight":
                return self.board.weight[self._text(given)].increases(1)
            case _:
                return self.board.never_read.increases(1)

    # tasks

    def _primitive(self, number):
        kinds = self._choose(((), (), (str,), (int,)))

        def described(given):
            return Primitive(
                precondition=self._condition(given) if self._choose(self._asks) else None,
                effects=[self._effect(given) for _ in range(self._choose((0, 1, 1, 1, 2)))],
                **self._number_of_task(given),
            )

        def act():
            return described(())

        def act_on(x):
            return described((x,))

        made = act_on if kinds else act
        made.__annotations__ = dict(zip("x", kinds, strict=False))
        made.__name__ = f"act_{number}"
        return self.domain.primitive(made), kinds

    def _call(self, given, own):
        compound = self._choose((False, False, True))
        if compound:
            name = self._choose((own, *self._kinds))
            task, kinds = self._compounds[name], self._kinds[name]
        else:
            task, kinds = self._choose(self._primitives)
        makers = {str: self._text, int: self._number}
        args = [makers[kind](given) for kind in kinds]
        if compound and name == own and self._choose((True, True, False)):
            args = [self._stepped(one) for one in given]
        return task(*args)

    def _stepped(self, parameter):
        if parameter.type is int:
            return parameter - 1
        return self._choose((parameter, self.board.next[parameter]))

    def _methods(self, own, given):
        for place in range(self._choose((1, 2, 2, 3, 3, 4))):
            when = self._condition(given) if self._choose(self._asks) else True
            size = self._choose((0, 1, 1, 2, 2, 3, 4))
            calls = [self._call(given, own) for _ in range(size)]
            yield method(*calls, when=when, **self._number_of_method(given, place))

    def _number_of_task(self, given):
        if self._sums != "cost":
            return {}
        own = [one for one in given if one.type is int]
        return {"cost": self._choose((0, 1, 1, 2, 0.5, 3, *own, *own))}

    def _number_of_method(self, given, place):
        if self._sums is None:
            return {}
        board = self.board
        computed = (
            board.count * board.count,
            board.weight["a"],
            *(one for one in given if one.type is int),
        )
        number = self._choose((0, 0.25, 3 - place, 6 - 2 * place, *computed))
        return {self._sums: number}

    def goal(self):
        parts = []
        for _ in range(self._choose((1, 1, 1, 2))):
            name = self._choose((*self._kinds,))
            args = [{str: "b", int: 2}[kind] for kind in self._kinds[name]]
            parts.append(self._compounds[name](*args))
            checked = ((), (0,), (1,), (0, 1)) if not self._is_easy else ((), (), (), (0,))
            parts += [self._checks[number]() for number in self._choose(checked)]
        return sequence(*parts)


def problem(choose, sums=None, *, is_easy=False):
    """A random problem; one for the plan with the least sum of costs or values, if there is one."""
    author = Author(choose, sums, is_easy=is_easy)
    state = author.board(
        lit=choose((False, True)),
        count=choose((0, 1)),
        place=choose(PLACES),
        next={place: choose(PLACES) for place in PLACES},
        on={place: choose(("", *PLACES)) for place in PLACES},
        weight={"a": choose((0, 1, 2))},
    )
    return request(
        author.domain.freeze(),
        state,
        author.goal(),
        Settings(
            strict_recursion=choose((True,) * 5 + (False,)),
            max_depth=choose((6, 40, 100_000)),
            max_expansions=choose((40, 400, 1_000)),
            cheapest=sums == "cost",
        ),
    )


@cache
def from_seed(seed, sums=None, *, is_easy=False):
    """A random problem, the same for the same seed."""
    choose = Random(seed).choice  # noqa: S311 - to be the same everywhere is its purpose
    return problem(choose, sums, is_easy=is_easy)


def excluding(asked, choose):
    """The problem without one or two tasks or methods of its plans."""
    avoided, plan = {}, first_plan(asked)
    for _ in range(choose((1, 1, 2))):
        nodes = [node for _, node in preorder(plan.tree)] if plan else []
        used = [
            avoidable(asked.domain, node.task, node.args, getattr(node, "method", None))
            for node in nodes
            if isinstance(node, ScopeNode | TaskNode)
        ]
        if used:
            avoided[choose(used)] = "it failed"
        asked = replace(asked, avoiding=avoided)
        plan = first_plan(asked)
    return asked


def first_plan(asked):
    search = HtnSearch.of(asked)
    with suppress(PlanningError):
        search.advance()
    return search.plan
