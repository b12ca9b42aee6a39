"""``bthtn render``: a domain or an authored tree as a picture."""

from __future__ import annotations

from pathlib import Path

from bthtn.cli.locate import Found, Kind, located, root_of
from bthtn.cli.output import SCREEN, say, say_json, write_picture


def render(text: str, form: str, target: Path | None, *, legend: bool, as_json: bool) -> None:
    """Write the picture of what the text means. Raises BthtnError."""
    found = located(text, Kind.DOMAIN, Kind.TREE)
    dot = _dot(found, legend=legend)
    facts = {"format": "bthtn-render/1", "kind": found.kind.value, "name": found.name}
    if as_json and form == "dot" and target in (None, SCREEN):
        say_json({**facts, "dot": dot})
        return
    place = write_picture(dot, form, target, found.name)
    if as_json:
        say_json({**facts, "file": str(place)})
    elif place is not None:
        say(f"wrote {place}")


def _dot(found: Found, *, legend: bool) -> str:
    if found.kind is Kind.DOMAIN:
        from bthtn.views.domain_drawing import domain_dot  # noqa: PLC0415 - one of the two

        return domain_dot(found.load(), legend=legend)
    from bthtn.views.behaviour_drawing import behaviour_dot  # noqa: PLC0415 - one of the two

    return behaviour_dot(root_of(found), title=found.name, legend=legend)
