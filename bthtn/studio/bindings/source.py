"""What the writers of all languages share: comments, enums, and the file of the client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from string import Template
from textwrap import wrap
from typing import Final

from bthtn.records import record
from bthtn.studio.bindings.identifiers import Scope
from bthtn.studio.bindings.interface import Belief, Choice, Interface, Kind, Task

_WIDTH: Final = 96


@record
class Enumeration:
    """The type that is written for a choice: its name, and those of its members.

    ``full_name`` is its name where a belief of that name would be meant.
    """

    name: str
    full_name: str
    members: Mapping[str, str]


Enumerations = Mapping[Choice, Enumeration]


def enumerations(
    interface: Interface, types: Scope, form: Callable[[str], str], place: str = ""
) -> Enumerations:
    """The types of all choices, whose names are added to the types that there are.

    ``form`` is that of their members, ``place`` what stands before their full names.
    """
    written: dict[Choice, Enumeration] = {}
    for choice, name in interface.choices.items():
        members = Scope(form)
        of_members = {member: members.add(member) for member in choice.members}
        identifier = types.add(name)
        written[choice] = Enumeration(identifier, f"{place}{identifier}", of_members)
    return written


def filled(client: str, **places: str) -> str:
    """The client of a language, a file beside this one, with the places in it filled."""
    text = Path(__file__).with_name(client).read_text("utf-8")
    return Template(text).substitute(places)


def quoted(text: str) -> str:
    """A string of ASCII, with the escapes that JSON, C# and TypeScript have in common."""
    return json.dumps(text)


def comment(begin: str, paragraphs: Iterable[str]) -> list[str]:
    """Lines of a comment, each with its beginning, in which nothing can end it.

    A line is text that can be seen: no control characters, none that turns the direction of what
    follows, no backslash at its end.
    """
    lines: list[str] = []
    for paragraph in paragraphs:
        seen = "".join(letter if letter.isprintable() else " " for letter in paragraph)
        lines += wrap(seen.replace("*/", "* /").replace("??/", "?? /"), _WIDTH)
    return [f"{begin} {line}{' .' * line.endswith(chr(92))}" for line in lines]


def about_kind(kind: Kind) -> Iterator[str]:
    """What is said above the class of a kind of agents."""
    yield f"{', '.join(kind.agents)}: derive from it, and do what it is asked to."


def about_belief(belief: Belief) -> Iterator[str]:
    yield belief.name
    yield belief.doc


def about_task(task: Task) -> Iterator[str]:
    yield task.name
    yield task.doc
    yield from task.notes
