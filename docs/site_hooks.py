"""What turns the manual into a site: the hooks that mkdocs.yml names.

The pages are written for whoever reads the repository: they link to files beside the manual. The
site has none of these but the changelog, so such a link becomes the name of the file. The pages of
the API reference, with signatures and defaults, are made of the docstrings.
"""

import importlib
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "bthtn",
    "bthtn.behaviours",
    "bthtn.kit",
    "bthtn.planning",
    "bthtn.plan",
    "bthtn.analysis",
    "bthtn.formats",
    "bthtn.views",
    "bthtn.testing",
)
"""The public packages, in the order of docs/api.md."""

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?!https?:)[^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Add the changelog and a page of reference for each public package."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    files.append(File.generated(config, "changelog.md", content=changelog))
    for package in PACKAGES:
        files.append(File.generated(config, f"reference/{package}.md", content=reference(package)))
    return files


def reference(package: str) -> str:
    """A page with all public names of a package, in alphabetical order."""
    names = sorted(importlib.import_module(package).__all__, key=str.casefold)
    entries = [f"::: {package}.{name}\n" for name in names]
    return "\n".join([f"# {package}\n", *entries])


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """The page without links to files that the site does not have."""
    folder = posixpath.dirname(page.file.src_uri)

    def of_site(link: re.Match[str]) -> str:
        text, path, anchor = link.groups()
        target = posixpath.normpath(posixpath.join(folder, path))
        if target == "../CHANGELOG.md":
            return f"[{text}]({posixpath.relpath('changelog.md', folder or '.')})"
        if not target.startswith(".."):
            return link.group()
        name = target.removeprefix("../") + (anchor or "")
        return text if text.strip("`") == name else f"{text} (`{name}`)"

    return LINK.sub(of_site, markdown)
