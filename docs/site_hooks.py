"""What turns the manual into a site: the hooks that mkdocs.yml names.

The pages are written for whoever reads the repository: they link to files beside the manual. The
site has none of these but the changelog, so such a link becomes the name of the file. The pages of
the API reference, with signatures and defaults, are made of the docstrings; below each name is a
link to the section of the manual that first uses it.
"""

import ast
import doctest
import importlib
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown.extensions.toc import slugify
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "bthtn",
    "bthtn.behaviours",
    "bthtn.events",
    "bthtn.kit",
    "bthtn.engine.planning",
    "bthtn.engine.replanning",
    "bthtn.studio.explanation",
    "bthtn.engine.plan",
    "bthtn.studio.analysis",
    "bthtn.kit.grids",
    "bthtn.kit.formats",
    "bthtn.kit.unified_planning",
    "bthtn.ros",
    "bthtn.studio.views",
    "bthtn.kit.recording",
    "bthtn.studio.watch",
    "bthtn.studio.profile",
    "bthtn.testing",
    "bthtn.studio.fuzzing",
    "bthtn.studio.compare",
)
"""The public packages, in the order of docs/api.md."""

PART = re.compile(r"^(#+) ([^\n]*)|^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?!https?:)[^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Add the changelog and a page of reference for each public package."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    files.append(File.generated(config, "changelog.md", content=changelog))
    used = examples()
    for package in PACKAGES:
        content = reference(package, used)
        files.append(File.generated(config, f"reference/{package}.md", content=content))
    return files


def public_names(package: str) -> list[str]:
    """The public names of a package, in alphabetical order."""
    return sorted(importlib.import_module(package).__all__, key=str.casefold)


def reference(package: str, used: dict[str, str]) -> str:
    """A page with all public names of a package, and where the manual uses each."""
    # The names of the package itself are imported late from this module, by a star that the
    # reader of docstrings does not follow.
    module = "bthtn.api" if package == "bthtn" else package
    entries = [f"# {package}\n"]
    for name in public_names(package):
        shown = f"{package}.{name}"
        options = f"    options: {{heading: {shown}, toc_label: {shown}}}"
        entries += [f"::: {module}.{name}\n{options}\n", f"Example: {used[shown]}\n"]
    return "\n".join(entries)


def examples() -> dict[str, str]:
    """Links, as from a page of the reference, to the first code that uses each public name.

    Only code that tests run counts. Pages have the order of the navigation. The chapters of the
    tutorial continue one program, so that a name is imported in one and used in the next.
    """
    found: dict[str, str] = {}
    homes: dict[str, str] = {}
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2]
    for page in re.findall(r"(?<=[ :])(?!reference/)([\w/-]+\.md)$", navigation, re.MULTILINE):
        if not page.startswith("tutorial/"):
            homes = {}
        path = ROOT / "docs" / page
        for link, code in code_of(path) if path.exists() else ():
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom) and node.module in PACKAGES:
                    homes |= {one.name: f"{node.module}.{one.name}" for one in node.names}
                elif isinstance(node, ast.Name) and node.id in homes:
                    found.setdefault(homes[node.id], link)
    return found


def code_of(path: Path) -> Iterator[tuple[str, str]]:
    """The blocks of Python that a page shows, each with a link to its section."""
    shown = re.sub(r"<!---.*?--->", "", path.read_text("utf-8"), flags=re.DOTALL)
    title = heading = anchor = ""
    for marks, text, language, code in PART.findall(shown):
        if marks:
            heading = re.sub(r"[`*]", "", text)
            title = title or heading
            anchor = "" if heading == title else f"#{slugify(heading, '-')}"
        if language != "python":
            continue
        label = title if heading == title else f"{title}, {heading}"
        page = path.relative_to(ROOT / "docs").as_posix()
        source = code
        if code.startswith(">>>"):
            source = "".join(one.source for one in doctest.DocTestParser().get_examples(code))
        yield f"[{label}](../{page}{anchor})", source


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """The page without links to files that the site does not have."""
    folder = posixpath.dirname(page.file.src_uri)
    # The changelog stands beside the folder of the manual, and in the site among its pages.
    written_in = ".." if page.file.src_uri == "changelog.md" else folder

    def of_site(link: re.Match[str]) -> str:
        text, path, anchor = link.groups()
        target = posixpath.relpath(posixpath.join("docs", written_in, path), "docs")
        if written_in != folder and not target.startswith(".."):
            return f"[{text}]({target}{anchor or ''})"
        if target == "../CHANGELOG.md":
            return f"[{text}]({posixpath.relpath('changelog.md', folder or '.')})"
        if not target.startswith(".."):
            return link.group()
        name = target.removeprefix("../") + (anchor or "")
        return text if text.strip("`") == name else f"{text} (`{name}`)"

    return LINK.sub(of_site, markdown)
