"""Lottery tables in files: CSV with a heading line, or TOML.

    Name,ActionName,Phase,Stance,RangeMin,RangeMax,Priority,Weight,WeightInc,WeightGroup
    Jab,Jab,,,,3,1,50,50,
    Swing,FullSwing,,Rage,2,5,1,10,10,big

A heading that is none of the columns is a fluent, followed by a comparison if that is not ``==``;
together with ``When`` they are the precondition. An empty cell is no condition.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from functools import reduce
from math import isfinite
from pathlib import Path
from typing import Any, Final

from bthtn.checked import checked
from bthtn.engine.world.expression import ALWAYS
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.state import State
from bthtn.errors import InputError, StateError, nearest
from bthtn.kit.formats.columns import Column, condition_column, folded, number
from bthtn.kit.formats.sheet import NO_MAPPING, SheetRow, read_sheet
from bthtn.kit.lottery import LotteryRow, LotteryTable

_COLUMNS: Final = (
    Column("Name", "name"),
    Column("ActionName", "action"),
    Column("Priority", "priority", int, "a whole number"),
    Column("Weight", "weight", number, "a number, such as 2.5"),
    Column("WeightInc", "increment", number, "a number, such as 2.5"),
    Column("WeightGroup", "group"),
)
_MEANINGS: Final[Mapping[str, str]] = {"rangemin": "distance >=", "rangemax": "distance <="}
_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ASKED: Final = re.compile(r"\s*(?P<fluent>.*?)\s*(?P<comparison>==|!=|<=|>=|<|>|)\s*\Z", re.DOTALL)


@checked
def read_lottery(
    path: Path | str, state: type[State], *, columns: Mapping[str, str] = NO_MAPPING
) -> LotteryTable:
    """Read the table in a ``.csv``, ``.xlsx`` or ``.toml`` file.

    Its conditions are on this class of states. ``columns`` has headings that are called otherwise,
    with their meanings: a column, or a fluent with its comparison. Raises InputError with all
    faults of the file and their places.
    """
    rows = read_sheet(
        path,
        (*_COLUMNS, condition_column("When", state)),
        _row,
        mapping=columns,
        other=lambda heading: _fluent_column(heading, state.__schema__),
    )
    return LotteryTable(*rows.values())


def _row(cells: SheetRow) -> tuple[str, LotteryRow]:
    values = {"action": cells.values.get("name", ""), **cells.values}
    values.pop("name", None)
    when = values.pop("when", ALWAYS)
    if not values["action"]:
        raise InputError("BT410", "there is no action", hint="give the row an ActionName")
    asked = [*([] if when is ALWAYS else [when]), *cells.others.values()]
    row = LotteryRow(precondition=reduce(operator.and_, asked) if asked else ALWAYS, **values)
    LotteryTable(row)  # which refuses weights below zero
    return row.action, row


def _fluent_column(heading: str, schema: StateSchema) -> Column:
    """The column of conditions on a fluent. Raises InputError if there is none."""
    asked = _ASKED.match(_MEANINGS.get(folded(heading), heading))
    assert asked is not None, "every text has a part before its end"
    name, bracket, index = asked["fluent"].partition("[")
    names = {
        folded(name_in_domain): name_in_domain
        for name_in_domain in (*schema.fluents, *schema.families)
    }
    try:
        fluent = schema.variable(names.get(folded(name), name) + bracket + index)
    except StateError:
        hint = nearest(name, [*(column.heading for column in _COLUMNS), "When", *names.values()])
        message = f"neither a column nor a fluent is called '{asked['fluent']}'"
        raise InputError("BT410", message, hint=hint) from None
    compare = _COMPARISONS[asked["comparison"]]

    def read(text: str) -> Any:
        value = fluent.parse(text)
        if isinstance(value, float) and not isfinite(value):
            raise ValueError(text)
        return compare(fluent, value)

    return Column(heading, heading, read, "a finite number")
