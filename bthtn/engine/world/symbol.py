"""Symbol: stands for a value that is known later, and refuses to be used as one now."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn

from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.errors import SymbolError


class Symbol(Shared, Unpicklable):
    """An object whose ``==`` and other operators make expressions.

    Code that needs a value now would silently go wrong: a look-up in a dictionary finds nothing,
    ``and`` drops one side. All of that raises SymbolError.
    """

    __slots__ = ()

    @abstractmethod
    def text(self) -> str:
        """Readable form."""

    def __hash__(self) -> int:
        raise SymbolError(f"'{self.text()}' is a symbol: it cannot be looked up or kept in a set")

    def __bool__(self) -> bool:
        hint = (
            "combine conditions with & | ~ (and brackets), and write (0 < x) & (x < 5) for a chain"
        )
        raise SymbolError(f"'{self.text()}' is a condition, not a truth", hint)

    def __contains__(self, item: object) -> bool:
        hint = "write x.is_in(('a', 'b')), or let a function of the state ask"
        raise SymbolError(f"'{self.text()}' is a symbol: nothing is in it yet", hint)

    def __getitem__(self, index: Any) -> NoReturn:
        name = self.text()
        hint = (
            f"declare {name} with fluents(...), or let a function of the state go through it: "
            f"method(lambda state: [task(each) for each in {name}])"
        )
        raise SymbolError(f"'{self.text()}' is a symbol: it has no items", hint)

    def __len__(self) -> int:
        raise SymbolError(f"'{self.text()}' is a symbol: it has no length")

    if not TYPE_CHECKING:  # which tells that there are no such operators

        def __truediv__(self, _: object) -> NoReturn:
            hint = (
                "write * 0.5, // for whole numbers, or a function of the state, lambda state: ..."
            )
            raise SymbolError(f"'{self.text()}' is a symbol: it is not divided by /", hint)

        __rtruediv__ = __truediv__

        def __pow__(self, *_: object) -> NoReturn:
            raise self._without_value("power")

        __rpow__ = __pow__

        def __divmod__(self, _: object) -> NoReturn:
            raise self._without_value("quotient")

        __rdivmod__ = __divmod__

        def __abs__(self) -> NoReturn:
            raise self._without_value("absolute value")

        def __round__(self, *_: object) -> NoReturn:
            raise self._without_value("rounded value")

        def __int__(self) -> NoReturn:
            raise self._without_value("whole number")

        def __float__(self) -> NoReturn:
            raise self._without_value("number")

        def _without_value(self, what: str) -> SymbolError:
            return SymbolError(f"'{self.text()}' is a symbol: it has no {what} yet")


class Comparable:
    """Base of dataclasses with symbols in their fields; they say ``eq=False``.

    Equal to an object of the same class with equal fields, where a symbol equals only itself: its
    ``==`` is no truth, so it must not stand in an ``__eq__`` that ``dataclass`` generates.
    """

    __slots__ = ()

    def _key(self) -> object:
        compared = (field.name for field in fields(self) if field.compare)  # type: ignore[arg-type]  # of subclasses
        return comparable(tuple(getattr(self, name) for name in compared))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparable) or type(other) is not type(self):
            return False
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def comparable(value: object) -> object:
    """The value, with the identity of each symbol in its place, also in tuples."""
    if isinstance(value, Symbol):
        return id(value), "symbol"
    return tuple(map(comparable, value)) if isinstance(value, tuple) else value
