"""``bthtn render`` draws a domain or a tree; ``bthtn palette`` prints models for Groot2."""

from __future__ import annotations

from pathlib import Path

from bthtn.cli.locate import Target, TargetKind, domain_of, resolve, root_of
from bthtn.cli.printing import SCREEN, say, say_json, write, write_picture


def render(text: str, form: str, output: Path | None, *, legend: bool, as_json: bool) -> None:
    """Draw the domain or tree that the text names; as XML only a tree. Raises BthtnError."""
    kinds = (TargetKind.TREE,) if form == "xml" else (TargetKind.DOMAIN, TargetKind.TREE)
    target = resolve(text, *kinds)
    drawn = _drawn(target, form, legend=legend)
    kind = form if form in ("xml", "html") else "dot"
    facts = {"format": "bthtn-render/1", "kind": target.kind.value, "name": target.name}
    if as_json and form == kind and output in (None, SCREEN):
        say_json({**facts, kind: drawn})
        return
    place = write_picture(drawn, form, output, target.name)
    if as_json:
        say_json({**facts, "file": str(place)})
    elif place is not None:
        say(f"wrote {place}")


def palette(text: str, output: Path | None, *, as_json: bool) -> None:
    """Print or write the palette of a domain. Raises BthtnError."""
    from bthtn.formats import palette_of  # noqa: PLC0415 - not for pictures

    domain = domain_of(text)
    models = palette_of(domain)
    facts = {"format": "bthtn-palette/1", "name": domain.name}
    if as_json and output in (None, SCREEN):
        say_json({**facts, "xml": models})
        return
    write(models, output)
    if as_json:
        say_json({**facts, "file": str(output)})
    elif output not in (None, SCREEN):
        say(f"wrote {output}")


def _drawn(target: Target, form: str, *, legend: bool) -> str:
    match form:
        case "xml":
            return _xml(target)
        case "html":
            return _html(target)
        case _:
            return _dot(target, legend=legend)


def _html(target: Target) -> str:
    from bthtn.views.html import html_page  # noqa: PLC0415 - not for other pictures

    if target.kind is TargetKind.DOMAIN:
        from bthtn.views.domain_nodes import domain_tree  # noqa: PLC0415 - one of the two

        return html_page(f"domain {target.name}", {target.name: domain_tree(target.load())})
    from bthtn.views.plan_nodes import without_statuses  # noqa: PLC0415 - one of the two
    from bthtn.views.snapshot import Snapshots  # noqa: PLC0415 - one of the two

    tree = without_statuses(Snapshots(root_of(target)).whole())
    return html_page(target.name, {target.name: tree})


def _xml(target: Target) -> str:
    from bthtn.formats import xml_of  # noqa: PLC0415 - not for pictures

    return xml_of(root_of(target))


def _dot(target: Target, *, legend: bool) -> str:
    if target.kind is TargetKind.DOMAIN:
        from bthtn.views.domain_drawing import domain_dot  # noqa: PLC0415 - one of the two

        return domain_dot(target.load(), legend=legend)
    from bthtn.views.behaviour_drawing import behaviour_dot  # noqa: PLC0415 - one of the two

    return behaviour_dot(root_of(target), title=target.name, legend=legend)
