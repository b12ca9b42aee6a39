"""``bthtn render`` draws domains, trees and recorded moments; ``bthtn palette``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bthtn.errors import InputError
from bthtn.studio.cli.options import (
    RECORDINGS,
    TARGET,
    AsJson,
    Format,
    Legend,
    Output,
    PictureForm,
    Stub,
    form_of,
)
from bthtn.studio.cli.printing import SCREEN, say_json, say_written, write_picture
from bthtn.studio.testing.characters import root_of
from bthtn.studio.testing.locate import Target, TargetKind, domain_of, resolve_all, stubbed
from bthtn.studio.views.html import html_page
from bthtn.studio.views.plan_nodes import without_statuses


def render(  # noqa: PLR0913 - one for each thing that can be typed
    target: Annotated[
        str, Argument(metavar="DOMAIN|TREE|FILE", help=f"{TARGET} Or a recording: a .jsonl file.")
    ],
    *,
    tick: Annotated[
        int | None, Option(help="Of a recording: the tick; the last one by default.")
    ] = None,
    agent: Annotated[str, Option(help="Of a recording: whose tree.")] = "",
    form: Annotated[PictureForm | None, Format] = None,
    output: Output = None,
    legend: Legend = False,
    stub: Stub = False,
    as_json: AsJson = False,
) -> None:
    """Draw a domain, a tree or a moment; as XML only a tree. Raises BthtnError.

    A domain and a tree of one name are both drawn, each into a file of its own.
    """
    kind = form_of(form, output, PictureForm.DOT).value
    if target.endswith(RECORDINGS):
        moment = _moment(Path(target), kind, tick, agent, legend=legend)
        pictures: list[_Picture] = [("recording", *moment, Path(target), output)]
    else:
        if tick is not None or agent:
            message = f"'{target}' is no recording, and has no ticks or agents"
            hint = "name a file that ends in .jsonl, as bthtn run --record writes"
            raise InputError("BT409", message, hint=hint)
        kinds = (TargetKind.TREE,) if kind == "xml" else (TargetKind.DOMAIN, TargetKind.TREE)
        found = resolve_all(target, *kinds)
        found = [stubbed(each) for each in found] if stub else found
        pictures = _pictures(found, kind, output, legend=legend)
    for kind_of, name, text, source, place in pictures:
        if place is not None and source is not None and _is_same_file(place, source):
            message = f"{place} is the file that is drawn"
            raise InputError("BT409", message, hint="write into another one")
        facts = {"format": "bthtn-render/1", "kind": kind_of, "name": name}
        _deliver(text, kind, place, facts, as_json=as_json)


_Picture = tuple[str, str, str, Path | None, Path | None]
"""What is drawn, its name, the drawing, the file that was drawn, and the file to write."""


def _pictures(
    found: list[Target], form: str, output: Path | None, *, legend: bool
) -> list[_Picture]:
    """The pictures of targets; of two, each has its kind in its name: ``brawler_tree.svg``."""
    pictures: list[_Picture] = []
    for target in found:
        kind, text = target.kind.value, _drawn(target, form, legend=legend)
        name, place = target.name, output
        if len(found) > 1:
            name = f"{name}_{kind}"
            is_file = output is not None and output != SCREEN
            place = output.with_stem(f"{output.stem}_{kind}") if output and is_file else output
        pictures.append((kind, name, text, target.file, place))
    return pictures


def _is_same_file(output: Path, source: Path) -> bool:
    try:
        return output.samefile(source)
    except OSError:  # there is no such file, or there cannot be: it is said when it is written
        return False


def _deliver(
    text: str, form: str, output: Path | None, facts: Mapping[str, str], *, as_json: bool
) -> None:
    """Print or write a text, or the picture of it; for JSON with the facts."""
    kind = form if form in ("xml", "html") else "dot"
    if as_json and form == kind and output in (None, SCREEN):
        say_json({**facts, kind: text})
        return
    place = write_picture(text, form, output, facts["name"])
    if as_json:
        say_json({**facts, "file": str(place)})
    else:
        say_written(place)


def _moment(
    file: Path, form: str, tick: int | None, agent: str, *, legend: bool
) -> tuple[str, str]:
    """The name and the picture of an agent's tree at the end of a recorded tick."""
    from bthtn.kit.recording import Recording  # noqa: PLC0415 - not for other pictures
    from bthtn.studio.views.behaviour_drawing import snapshot_dot  # noqa: PLC0415 - not for other pictures

    if form == "xml":
        message = "a recording has the nodes that ran, not the code of a tree: no XML"
        raise InputError("BT409", message, hint="name the tree itself")
    moment = Recording.read(file).at(tick, agent)
    if moment.tree is None:
        message = f"the recording has no tree of '{moment.agent}' at tick {moment.tick}"
        raise InputError("BT461", message)
    name = f"{moment.agent} at tick {moment.tick}"
    if form == "html":
        return name, html_page(name, {name: moment.tree})
    return name, snapshot_dot(moment.tree, title=name, legend=legend)


def palette(
    domain: Annotated[str, Argument(metavar="DOMAIN", help=TARGET)],
    *,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Print or write the palette of a domain. Raises BthtnError."""
    from bthtn.kit.character_files import goal_nodes  # noqa: PLC0415 - not for pictures
    from bthtn.kit.formats import palette_of  # noqa: PLC0415 - not for pictures

    found = domain_of(domain)
    facts = {"format": "bthtn-palette/1", "name": found.name}
    text = palette_of(found, nodes=goal_nodes(Path(), {}, {}))
    _deliver(text, "xml", output, facts, as_json=as_json)


def _drawn(target: Target, form: str, *, legend: bool) -> str:
    if target.kind is TargetKind.DOMAIN:
        from bthtn.studio.views.domain_drawing import domain_dot, domain_tree  # noqa: PLC0415 - not for trees

        if form == "html":
            return html_page(f"domain {target.name}", {target.name: domain_tree(target.load())})
        return domain_dot(target.load(), legend=legend)
    root = root_of(target)
    if form == "xml":
        from bthtn.kit.formats import xml_of  # noqa: PLC0415 - not for pictures

        return xml_of(root)
    if form == "html":
        from bthtn.kit.recording.snapshot import Snapshots  # noqa: PLC0415 - not for domains

        return html_page(target.name, {target.name: without_statuses(Snapshots(root).whole())})
    from bthtn.studio.views.behaviour_drawing import behaviour_dot  # noqa: PLC0415 - not for domains

    return behaviour_dot(root, title=target.name, legend=legend)
