"""Functions that are conditions, as data."""

from __future__ import annotations

from bthtn.planning.htn.translation.paths import End, Path, paths, undue
from bthtn.planning.htn.translation.terms import Terms, either
from bthtn.planning.htn.translation.written import Definition, NotTranslatable
from bthtn.world.expression import Condition


def truth(definition: Definition, terms: Terms) -> Condition:
    """The condition that a function answers with true. Raises NotTranslatable."""
    return _truth(paths(definition, terms), terms)


def _truth(path: Path, terms: Terms) -> Condition:
    if isinstance(path, End):
        if path.returned is None:
            raise NotTranslatable  # None is no truth value
        terms.variables = path.variables
        answer = terms.truth(path.returned)
        if undue(path.due, [answer]):
            raise NotTranslatable
        return answer
    return either(path.condition, _truth(path.then, terms), _truth(path.other, terms))
