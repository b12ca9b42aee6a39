"""The house keeps its own rules.

Every rule is a function from source text to the faults it finds. One test asks it about every
file of the house and lists all faults; another asks it about a bad example, since a rule that
cannot fail keeps nothing.
"""

import ast
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import symtable
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import bthtn
from bthtn.engine.domain.decorator import Decorator
from bthtn.engine.domain.network import Network
from bthtn.engine.plan.nodes import Node
from docs import site_hooks
from docs.site_hooks import PACKAGES

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FIRST_PARTY = {"bthtn"}

LONGEST_SUMMARY = 88
# Names that fit everything, and therefore say nothing.
EMPTY_NAMES = {"utils", "helpers", "common", "core", "base", "manager", "types"}
VAGUE_NAMES = {"one", "ones", "some", "several"}
MUTABLE_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MUTABLE_TYPES = {
    *("list", "dict", "set", "bytearray", "deque", "defaultdict", "OrderedDict", "Counter"),
    *("ChainMap", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "SimpleNamespace"),
}
PROMISE = re.compile(r"\b(Final|MappingProxyType)\b")
CODE = re.compile(r"\bBT\d{3}\b")
CLOSED_KINDS = {
    kind.__name__ for union in (Node, Network, Decorator) for kind in get_args(union)
} - {"TaskCall"}
"""What a match has to name all of; calls are matched among other things, too."""
# The tools that may be imported, each by the one module that its users load on purpose.
GRAPHS = ("bthtn/studio/analysis/", "bthtn/studio/views/domain_drawing.py")
"""What needs networkx, which comes with the command."""
UNIFIED_PLANNING = "bthtn/kit/unified_planning/"
"""What needs the package of this name, which comes with an extra."""
TOOL_OF = {
    "bthtn/kit/engines/sockets.py": "websockets",
    "bthtn/engine/agent/code_types.py": "typing_extensions",
    "bthtn/kit/formats/workbook.py": "openpyxl",
    "bthtn/kit/formats/xml_document.py": "defusedxml",
    "bthtn/studio/batch/runner.py": "joblib",
    "bthtn/studio/cli/reload.py": "watchfiles",
    "bthtn/studio/watch/app.py": "starlette",
    "bthtn/studio/watch/server.py": "uvicorn",
    "bthtn/studio/play/app.py": "starlette",
    "bthtn/studio/testing/plugin.py": "pytest",
    "bthtn/studio/testing/coverage_plugin.py": "pytest",
    "bthtn/studio/testing/strategies.py": "hypothesis",
    "bthtn/studio/fuzzing/rounds.py": "hypothesis",
    "bthtn/studio/fuzzing/strategy.py": "hypothesis",
    "trees/explorer/level.py": "gymnasium",
    "trees/crafter/level.py": "crafter",
}


@cache
def files(*folders: str, pattern: str = "*.py") -> list[str]:
    found = (path for folder in folders for path in (ROOT / folder).rglob(pattern))
    return sorted(
        path.relative_to(ROOT).as_posix()
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    )


@cache
def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


@cache
def parsed(source: str) -> ast.Module:
    """Every rule looks at every file."""
    return ast.parse(source)


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """All of them, as many rules look through them."""
    return tuple(ast.walk(parsed(source)))


@pytest.fixture(scope="module", autouse=True)
def forgotten_fixture():
    """A million nodes would be looked at whenever garbage is collected."""
    yield
    parsed.cache_clear()
    nodes.cache_clear()


def check(rule: Callable[[str], Iterable[str]], *folders: str) -> None:
    """Ask a rule about the source of every Python file in some folders. Fails with all faults."""
    check_files(lambda path: rule(read(path)), files(*folders))


def check_files(rule: Callable[[str], Iterable[str]], paths: list[str]) -> None:
    """Ask a rule about files by their paths. Fails with all faults, a line each."""
    assert paths, "a rule about no file keeps nothing"
    faults = [f"{path}: {fault}" for path in paths for fault in rule(path)]
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)


# names, docstrings


def docstring_faults(source: str) -> list[str]:
    docstring = ast.get_docstring(parsed(source))
    if not docstring:
        return ["the module has no docstring"]
    width = len(docstring.splitlines()[0])
    return [f"its docstring's first line has {width} letters"] if width > LONGEST_SUMMARY else []


def empty_names(path: str) -> list[str]:
    return sorted(EMPTY_NAMES & set(Path(path).with_suffix("").parts))


def test_the_version_that_saves_and_the_command_name_is_that_of_the_package():
    assert bthtn.__version__ == PROJECT["project"]["version"]


def slow_queues(source: str) -> list[str]:
    """What is taken from the front of a list moves all that is behind it: a deque does not."""
    calls = [node for node in nodes(source) if isinstance(node, ast.Call)]
    return [
        f"line {call.lineno}: {ast.unparse(call)}"
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and (call.func.attr, list(map(ast.unparse, call.args))) == ("pop", ["0"])
    ]


def vague_variables(source: str) -> Iterator[str]:
    """Variables whose names say that they hold something; one beside another is named well."""
    pending = [symtable.symtable(source, "module", "exec")]
    while pending:
        scope = pending.pop()
        pending += scope.get_children()
        names = {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_local()}
        if names.isdisjoint({"other", "others"}):
            yield from (f"{name}, in {scope.get_name()}" for name in names & VAGUE_NAMES)


def narrow_tasks(source: str) -> list[str]:
    """Pyright reads it as a task of one parameter, so that no other fits: ``[...]`` is any task."""
    return re.findall(r"(?:Primitive|Compound)Task\[Any\]", source)


def test_any_task_is_written_so_that_every_type_checker_takes_it_for_that():
    check(narrow_tasks, "bthtn", "domains", "trees")
    assert narrow_tasks("tasks: list[PrimitiveTask[Any]]")


def test_a_module_says_in_one_line_what_it_is():
    check(docstring_faults, "bthtn", "domains", "trees")


def test_a_module_has_a_name_that_says_something():
    check_files(empty_names, files("bthtn", "domains", "trees"))


def test_a_variable_has_a_name_that_says_what_it_holds():
    check(vague_variables, "bthtn", "domains", "trees")


def test_nothing_is_taken_from_the_front_of_a_list():
    check(slow_queues, "bthtn")
    assert slow_queues("waiting = []\nwaiting.pop(0)") == ["line 2: waiting.pop(0)"]


# no process-wide state


def classes_of(pattern: ast.pattern) -> set[str]:
    """The names of the classes one of which a whole value must be to match a pattern."""
    match pattern:
        case ast.MatchClass(cls=ast.Name(id=name) | ast.Attribute(attr=name)):
            return {name}
        case ast.MatchOr(patterns=patterns):
            return set().union(*map(classes_of, patterns))
        case ast.MatchAs(pattern=ast.pattern() as inside):
            return classes_of(inside)
    return set()


def open_matches(source: str) -> list[str]:
    """Matches over kinds of nodes, networks and decorators in which mypy finds no missing one."""
    return [
        f"line {found.lineno}"
        for found in nodes(source)
        if isinstance(found, ast.Match)
        and any(classes_of(case.pattern) & CLOSED_KINDS for case in found.cases)
        and not ast.unparse(found.cases[-1].body[0]).startswith("assert_never(")
    ]


def test_a_match_over_kinds_of_nodes_and_networks_names_them_all():
    check(open_matches, "bthtn")


def module_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run on import, those inside classes and functions left out."""
    for statement in body:
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for inner in ("body", "orelse", "handlers", "finalbody"):
                yield from module_level(getattr(statement, inner, []))


def is_mutable(value: ast.expr | None) -> bool:
    if not isinstance(value, ast.Call):
        return isinstance(value, MUTABLE_DISPLAYS)
    called = value.func.value if isinstance(value.func, ast.Subscript) else value.func
    return getattr(called, "attr", getattr(called, "id", None)) in MUTABLE_TYPES


def mutable_globals(source: str) -> list[str]:
    """Names of mutable objects in a module; an annotated `Final` promises not to write."""
    faults = []
    for statement in module_level(parsed(source).body):
        if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            continue
        targets = getattr(statement, "targets", None) or [statement.target]
        names = [ast.unparse(target) for target in targets]
        annotation = getattr(statement, "annotation", None)
        promised = annotation and PROMISE.search(ast.unparse(annotation))
        if is_mutable(statement.value) and names != ["__all__"] and not promised:
            faults += names
    return faults


def test_no_module_keeps_a_mutable_object():
    check(mutable_globals, "bthtn")


# codes of errors and diagnostics


def codes_raised(source: str) -> set[str]:
    """Codes in the string literals of a module."""
    texts = (
        node.value
        for node in nodes(source)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return {code for text in texts for code in CODE.findall(text)}


def codes_executed(markdown: str) -> set[str]:
    """Codes in those blocks of a document that docs/conftest.py runs and compares."""
    blocks = re.findall(r"^```(?:python|console)$(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)
    return {code for block in blocks for code in CODE.findall(block)}


@cache
def codes_in_house() -> set[str]:
    return {code for path in files("bthtn") for code in codes_raised(read(path))}


@cache
def codes_explained() -> set[str]:
    return {Path(path).stem for path in files("docs/errors", pattern="BT*.md")}


@cache
def codes_tested() -> set[str]:
    tests = set(files("tests") + files("tests", pattern="*.toml")) - {"tests/test_house.py"}
    found = {code for path in tests for code in CODE.findall(read(path))}
    return found.union(*(codes_executed(read(path)) for path in files("docs", pattern="*.md")))


def test_a_code_has_a_page_that_explains_it():
    missing = codes_in_house() - codes_explained()
    assert not missing, "write docs/errors/BTnnn.md for " + ", ".join(sorted(missing))


def test_a_code_has_a_test_that_provokes_it():
    untested = codes_in_house() - codes_tested()
    assert not untested, "nothing in tests/ or run in docs/ has " + ", ".join(sorted(untested))


def test_a_page_explains_a_code_that_exists():
    left = codes_explained() - codes_in_house()
    assert not left, "remove from docs/errors/ what bthtn does not say: " + ", ".join(sorted(left))


# source text that is run

RUNNER = "bthtn/engine/planning/htn/generated.py"
RUNS_TEXT = {"exec", "eval", "compile"}


def running_lines(source: str) -> list[int]:
    """Lines that mention what runs text; ``re.compile`` and its like are attributes of others."""
    lines = []
    makes_classes = "builtins.__build_class__" in source  # runs no text
    for node in nodes(source):
        match node:
            case ast.Name(id=name) if name in RUNS_TEXT:
                lines.append(node.lineno)
            case ast.Attribute(ast.Name("builtins"), "__build_class__"):
                pass
            case ast.Attribute(value=ast.Name(id="builtins" | "__builtins__")):
                lines.append(node.lineno)
            case ast.Import(names=[ast.alias("builtins", None)]) if makes_classes:
                pass
            case ast.ImportFrom(module="builtins") | ast.Import(names=[ast.alias("builtins")]):
                lines.append(node.lineno)
    return lines


def unchecked_runs(source: str) -> list[str]:
    """Functions that run a text without having checked first that it can only be ours."""
    return [
        node.name
        for node in nodes(source)
        if isinstance(node, ast.FunctionDef)
        and {"eval", "compile"} & {getattr(one, "id", "") for one in ast.walk(node)}
        and not any(ast.unparse(one).startswith("_check(") for one in node.body[:2])
    ]


def runs_from_elsewhere(path: str, source: str) -> bool:
    package = Path(RUNNER).parent.as_posix()
    imported = re.search(r"htn(\.| import .*\b)generated\b", source)
    return imported is not None and not path.startswith(f"{package}/")


def test_one_module_alone_runs_source_text_and_only_text_of_its_own_package():
    sources = {path: read(path) for path in files("bthtn", "domains", "trees")}
    faults = [
        f"{path}:{line} runs text"
        for path, source in sources.items()
        if path != RUNNER
        for line in running_lines(source)
    ]
    faults += [
        f"{path} runs text of its own"
        for path in sources
        if runs_from_elsewhere(path, sources[path])
    ]
    faults += [
        f"{RUNNER}: {name} runs what it has not checked" for name in unchecked_runs(read(RUNNER))
    ]
    assert not faults, "\n".join(faults)
    assert running_lines(read(RUNNER))


# the public names


def public_names(markdown: str) -> dict[str, list[str]]:
    """The names that the API page gives for each package: in lists, and in tables of names."""
    public: dict[str, list[str]] = {}
    package = column = ""
    for line in markdown.splitlines():
        if line.startswith("## "):
            package, column = line[3:].strip("`"), ""
        elif not line.startswith("|"):
            column = ""
        elif not column:
            column = line.split(" ")[1]
        head = re.match(r"- (`[^:]*):|\| (`[^|]*) \|", line)
        if head and column in ("", "name", "event") and re.match(r"bthtn(?!\.examples)", package):
            public.setdefault(package, []).extend(re.findall(r"`(\w+)`", head[0]))
    return public


def names_that_differ(markdown: str) -> list[str]:
    """Public names that only the API page or only a package knows, or that two packages export."""
    faults = []
    homes: dict[str, str] = {}
    for package, listed in public_names(markdown).items():
        module = importlib.import_module(package)
        faults += [f"{package}.{name}" for name in set(listed) ^ set(module.__all__)]
        faults += [f"{package}.{name}, missing" for name in listed if not hasattr(module, name)]
        faults += [f"{package}.{name}, also in {homes[name]}" for name in listed if name in homes]
        homes |= dict.fromkeys(listed, package)
    return sorted(faults)


def private_imports(source: str, public: dict[str, list[str]]) -> list[str]:
    """What a page or an example imports of bthtn that is not public; hidden blocks may."""
    shown = re.sub(r"<!---.*?--->", "", source, flags=re.DOTALL)
    statement = r"^(?:>>> )?[ ]*from (bthtn[\w.]*) import (?:\(([^)]*)\)|(.*))"
    imported = [
        (module, name)
        for module, lines, line in re.findall(statement, shown, re.MULTILINE)
        if not module.startswith("bthtn.examples.")
        for name in re.findall(r"\w+", lines or line.partition("#")[0])
    ]
    whole = re.findall(r"^(?:>>> )?[ ]*import (bthtn\.[\w.]*)", shown, re.MULTILINE)
    faults = [f"{module}.{name}" for module, name in imported if name not in public.get(module, ())]
    return faults + [module for module in whole if module not in public]


def test_the_site_has_a_reference_of_each_public_package():
    named = re.findall(r"reference/([\w.]+)\.md", read("mkdocs.yml"))
    assert named == list(PACKAGES) == list(public_names(read("docs/api.md")))


def test_the_public_names_are_those_of_the_api_page():
    page = read("docs/api.md")
    assert {"bthtn", "bthtn.behaviours", "bthtn.studio.views"} <= set(public_names(page))
    assert names_that_differ(page) == []


def test_every_public_name_is_used_in_code_of_the_manual_that_is_run():
    used = site_hooks.examples()
    unused = [name for name in exported() if name not in used]
    assert not unused, "used in no executed block of docs/: " + ", ".join(unused)


def test_code_of_the_manual_has_the_section_that_it_stands_in(tmp_path, monkeypatch):
    page = tmp_path / "docs/page.md"
    page.parent.mkdir()
    page.write_text(
        "# A `page`\n```python\nx = 1\n```\n"
        "<!--- invisible-code-block: python\n# no heading\nx = 2\n--->\n"
        "## Its part\n```toml\n# no heading\n```\n```python\n>>> f(x)\n3\n```\n"
    )
    monkeypatch.setattr(site_hooks, "ROOT", tmp_path)
    assert list(site_hooks.code_of(page)) == [
        ("[A page](../page.md)", "x = 1\n"),
        ("[A page, Its part](../page.md#its-part)", "f(x)\n"),
    ]


def exported() -> dict[str, object]:
    """The public names with their packages, and what they stand for."""
    return {
        f"{package}.{name}": getattr(importlib.import_module(package), name)
        for package in PACKAGES
        for name in site_hooks.public_names(package)
    }


def is_undefined(exported: object) -> bool:
    """Whether a class or function has no docstring of its own."""
    is_code = inspect.isroutine(exported) or inspect.isclass(exported)
    return is_code and not vars(exported).get("__doc__", getattr(exported, "__doc__", None))


def test_every_public_class_and_function_is_defined_by_its_docstring():
    undefined = [name for name, one in exported().items() if is_undefined(one)]
    assert not undefined, "what is it? " + ", ".join(undefined)
    assert is_undefined(type("Undefined", (), {}))


def silent_raises(exported: object) -> list[str]:
    """Functions of a public function or class that raise an error without saying so.

    The docstring of the class speaks for its constructor and for calls of its objects.
    """
    if not inspect.isroutine(exported) and not inspect.isclass(exported):
        return []
    source = inspect.getsource(sys.modules[exported.__module__])
    defined = {getattr(node, "name", ""): node for node in parsed(source).body}
    top = defined[exported.__name__]
    of_class = ("__init__", "__call__")
    faults = []
    for function in [top, *getattr(top, "body", ())]:
        if not isinstance(function, ast.FunctionDef) or (
            function.name.startswith("_") and function.name not in of_class
        ):
            continue
        speaking = [function, top] if function.name in of_class else [function]
        said = " ".join(ast.get_docstring(node) or "" for node in speaking)
        raises = any(isinstance(node, ast.Raise) and node.exc for node in ast.walk(function))
        if raises and not re.search(r"\b[Rr]aises?\b", said):
            faults.append(function.name)
    return faults


def test_every_public_function_that_raises_says_so():
    faults = [
        f"{name}: {fault}" for name, one in exported().items() for fault in silent_raises(one)
    ]
    assert not faults, "\n".join(faults)


def test_pages_and_examples_import_public_packages_only():
    public = public_names(read("docs/api.md")) | {"bthtn.examples": ["domains", "trees"]}
    pages = ["README.md", *files("docs", "domains", "trees", pattern="*.md")]
    paths = pages + files("domains", "trees")
    check_files(lambda path: private_imports(read(path), public), paths)


def test_a_public_package_loads_only_what_it_needs():
    several = (
        "bthtn, bthtn.engine.plan, bthtn.engine.planning, bthtn.studio.views, "
        "bthtn.studio.analysis, bthtn.testing, bthtn.examples",
        "bthtn.behaviours, bthtn.events, bthtn.kit, bthtn.kit.formats",
    )
    code = "import sys\n" + "".join(f"import {one}\nprint(*sys.modules)\n" for one in several)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"py_trees", "networkx", "typer", "rich", "hypothesis", "pytest"}
    loaded = [heavy & set(line.split()) for line in done.stdout.splitlines()]
    assert loaded == [set(), {"py_trees"}]


@pytest.mark.parametrize("package", ["bthtn.studio.views", "bthtn.testing", "bthtn.kit.formats"])
def test_a_package_that_imports_names_later_has_no_others(package):
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match=f"'{package}' has no attribute 'nothing'"):
        _ = module.nothing


# The imports of a module:


def module_name(requirement: str) -> str:
    """The module that a requirement brings; all of ours are called as their packages are."""
    return re.match(r"[\w.-]+", requirement)[0].replace("-", "_").lower()


def allowed_imports(path: str) -> set[str]:
    project = PROJECT["project"]
    needed = [*project["dependencies"]]
    if path.startswith(("bthtn/studio/cli/", *GRAPHS)):
        needed += project["optional-dependencies"]["cli"]
    if path.startswith(UNIFIED_PLANNING):
        needed += project["optional-dependencies"]["up"]
    declared = {module_name(requirement) for requirement in needed}
    return declared | FIRST_PARTY | sys.stdlib_module_names | {TOOL_OF.get(path, "bthtn")}


def foreign_imports(source: str, allowed: set[str]) -> list[str]:
    modules = set()
    for node in nodes(source):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
    return sorted({module.split(".")[0] for module in modules} - allowed)


def broken_contracts(root: Path) -> str:
    """What import-linter says about the package in a folder, nothing if it is content."""
    tool = shutil.which("lint-imports", path=Path(sys.executable).parent)
    assert tool, "import-linter is not installed beside this Python"
    done = subprocess.run(
        [tool, "--no-cache", "--no-logo"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr if done.returncode else ""


def test_nothing_is_imported_that_is_not_declared():
    check_files(
        lambda path: foreign_imports(read(path), allowed_imports(path)),
        files("bthtn", "domains", "trees"),
    )


def names_of_folders(source: str) -> list[str]:
    """Imports of examples by the folders that they lie in, which only a checkout has."""
    foreign = foreign_imports(source, set())
    return [f"write bthtn.examples.{name}" for name in foreign if name in ("domains", "trees")]


@pytest.mark.slow
def test_an_example_has_the_same_name_for_everybody():
    check(names_of_folders, "bthtn", "domains", "trees", "tests", "benchmarks", "docs")


def test_the_arrows_between_packages_are_kept():  # R000-03
    report = broken_contracts(ROOT)
    assert not report, report


# the tools of the house


def missing_files(makefile: str) -> list[str]:
    """Files that a Makefile names and that do not exist, its environment's left out."""
    named = set(re.findall(r"(?<![\w./)-])[\w-]+(?:/[\w-]+)*\.(?:py|toml)\b", makefile))
    return sorted(path for path in named if not (ROOT / path).is_file())


def test_files_and_modules_that_the_makefile_names_exist():
    makefile = read("Makefile")
    assert missing_files(makefile) == []
    modules = re.findall(r"-m ((?:tests|benchmarks)[\w.]*)", makefile)
    assert {module for module in modules if not importlib.util.find_spec(module)} == set()
    assert "benchmarks.goals" in modules


def test_targets_and_folders_that_the_workflows_name_exist():
    workflows = "\n".join(read(path) for path in files(".github/workflows", pattern="*.yml"))
    calls = re.findall(r"(?m)(?:run: |^)make (.*)", "\n".join([workflows, read(".ci/run")]))
    targets = {word for call in calls for word in call.split() if "=" not in word}
    assert {"static", "test"} <= targets <= set(re.findall(r"(?m)^([\w-]+):", read("Makefile")))
    folders = set(re.findall(r"\btests/\w+", workflows))
    assert {folder for folder in folders if not (ROOT / folder).is_dir()} == set()
