"""``bthtn render``: draws a domain or an authored tree."""

from __future__ import annotations

from pathlib import Path

from bthtn.cli.locate import Target, TargetKind, resolve, root_of
from bthtn.cli.printing import SCREEN, say, say_json, write_picture


def render(text: str, form: str, output: Path | None, *, legend: bool, as_json: bool) -> None:
    """Draw the domain or tree that the text names. Raises BthtnError."""
    target = resolve(text, TargetKind.DOMAIN, TargetKind.TREE)
    dot = _dot(target, legend=legend)
    facts = {"format": "bthtn-render/1", "kind": target.kind.value, "name": target.name}
    if as_json and form == "dot" and output in (None, SCREEN):
        say_json({**facts, "dot": dot})
        return
    place = write_picture(dot, form, output, target.name)
    if as_json:
        say_json({**facts, "file": str(place)})
    elif place is not None:
        say(f"wrote {place}")


def _dot(target: Target, *, legend: bool) -> str:
    if target.kind is TargetKind.DOMAIN:
        from bthtn.views.domain_drawing import domain_dot  # noqa: PLC0415 - one of the two

        return domain_dot(target.load(), legend=legend)
    from bthtn.views.behaviour_drawing import behaviour_dot  # noqa: PLC0415 - one of the two

    return behaviour_dot(root_of(target), title=target.name, legend=legend)
