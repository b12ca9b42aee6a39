"""Pages of HTML with everything inside: styles, scripts and data. They need no network.

The scripts are modules in the folder ``page``, which draw in the browser; ``script`` joins one of
them with all that it imports. The content security policy of a page lets nothing else run.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from importlib.resources import files
from typing import Any, Final

from bthtn.engine.text.tree import one_line
from bthtn.studio.views.dot import LOOKS, STATUSES

_IMPORT: Final = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=function|const|class)", re.MULTILINE)
_LAYOUT: Final = "d3-hierarchy.min.js"
_LONGEST_TITLE: Final = 200


def html_page(title: str, trees: Mapping[str, Mapping[str, Any]]) -> str:
    """A page that draws trees of snapshot nodes, by their titles; the first one is shown."""
    named = [{"title": one_line(name), "tree": tree} for name, tree in trees.items()]
    assert named, "a page shows at least one tree"
    data = {"title": title, "looks": looks(), "trees": named}
    return page(title, "picture", data, styles=("tree.css", "picture.css"))


def looks() -> dict[str, Any]:
    """The shapes, colours and signs of kinds and statuses: those of the pictures in dot."""
    return {
        "kinds": {kind: asdict(look) for kind, look in LOOKS.items()},
        "statuses": {status: asdict(look) for status, look in STATUSES.items()},
    }


def page(title: str, name: str, data: object, *, styles: Sequence[str]) -> str:
    """The page of ``name.html`` and ``name.js``, which finds the data in the element ``data``."""
    shown = one_line(title)[:_LONGEST_TITLE]
    scripts = [asset(_LAYOUT), script(f"{name}.js")]
    style = "".join(map(asset, styles))
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_seal, scripts))}; style-src {_seal(style)};"
        " base-uri 'none'; form-action 'none'"
    )
    body = asset(f"{name}.html").replace("{title}", escape(shown))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(shown)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}"
        f'<script type="application/json" id="data">{embedded(data)}</script>\n'
        f"<script>{scripts[0]}</script>\n"
        f'<script type="module">{scripts[1]}</script>\n</body>\n</html>\n'
    )


def embedded(data: object) -> str:
    """Data as JSON that cannot end the element of HTML that it stands in."""
    text = json.dumps(data)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def script(name: str) -> str:
    """A module of the folder ``page`` and all that it imports, as one module without imports."""
    modules: dict[str, str] = {}
    _collect(name, modules)
    return "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in modules.values())


def _collect(name: str, modules: dict[str, str]) -> None:
    """Add a module behind those that it imports."""
    if name not in modules:
        text = asset(name)
        for imported in _IMPORT.findall(text):
            _collect(imported, modules)
        modules[name] = text


def asset(name: str) -> str:
    """The text of a file of the folder ``page``."""
    return (files("bthtn.studio.views") / "page" / name).read_text("utf-8")


def _seal(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
