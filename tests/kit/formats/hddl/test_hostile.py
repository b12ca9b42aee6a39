"""Files in HDDL and PDDL that somebody crafted or broke are read, or refused with one error."""

import random
import re
import resource
import sys

import pytest

from bthtn import BthtnError
from bthtn.kit.formats.hddl.lowering import planning_problem
from bthtn.kit.formats.hddl.parser import domain_in, problem_in
from bthtn.kit.formats.hddl.reading import read_problem
from bthtn.kit.formats.hddl.source import Source
from tests.kit.formats.hddl.island_post import DOMAIN, PROBLEM

PDDL = re.sub(r"(?s)\(:task deliver.*(?=\(:action move)", "", DOMAIN)
GOAL = PROBLEM.replace(
    "(:htn :ordered-subtasks (and (deliver ada south) (deliver bo hq)))", ""
).replace("(:goal (and", "(:goal (and (not (at ada north))")
PAIRS = [(DOMAIN, PROBLEM), (PDDL, GOAL)]
PIECES = re.compile(r"\s+|[()]|[^\s()]+")
WORDS = "( ) )( () ? - : ; = either and not forall 0 -1 1e400 object #t ' | :htn :goal define"
LETTERS = "\x00 \ufeff é \u2028 \ud800 \x1f"
ODD = [
    *WORDS.split(),
    *LETTERS.split(" "),
    *('"', "9" * 5000, "(" * 120, ")" * 120, "(((((("),
    *("(forall (?x) (at ?x ?x))", "(when (at ?p ?i) (in ?p ?b))", "(increase (cost) 3)"),
]


def mutated(text, drawn):
    """The text with one to three changes of the kinds that slips and attacks make."""
    pieces = PIECES.findall(text)
    for _ in range(drawn.randint(1, 3)):
        at, other = drawn.randrange(len(pieces)), drawn.randrange(len(pieces))
        low, high = sorted((at, other))
        match drawn.randrange(8):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(at, pieces[other])
            case 2:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3:
                pieces[at] = pieces[other]
            case 4:
                pieces[at] = drawn.choice(ODD)
            case 5:
                pieces.insert(at, drawn.choice(ODD))
            case 6:
                pieces[at] = pieces[at][: drawn.randrange(len(pieces[at]) + 1)]
            case _:
                pieces[low : low + min(high - low, 40)] = []
        pieces = pieces or [""]
    return "".join(pieces)


def outcome(domain, problem):
    """What reading and lowering the files gives: an error, or None."""
    try:
        found = domain_in(Source("d.hddl", domain))
        planning_problem(found, problem_in(Source("p.hddl", problem), found))
    except BthtnError as error:
        return error
    return None


def check(number):
    """Refuse or read so many broken files. Whatever else is raised fails the test."""
    drawn = random.Random(f"island {number}")  # noqa: S311 - the same each time
    domain, problem = drawn.choice(PAIRS)
    if drawn.random() < 0.6:
        domain = mutated(domain, drawn)
    else:
        problem = mutated(problem, drawn)
    error = outcome(domain, problem)
    if error is not None:
        (fault,) = error.diagnostics
        assert fault.code.startswith("BT")
        assert fault.message.isprintable()
        if fault.code in ("BT440", "BT441", "BT442"):
            assert re.fullmatch(r"[dp]\.hddl:\d+:\d+", fault.where), fault.where
        return fault.code
    return "read"


def test_broken_files_are_refused_with_one_error_and_its_place():
    told = {check(number) for number in range(400)}
    assert told >= {"read", "BT440", "BT441", "BT442"}


@pytest.mark.slow
@pytest.mark.long
def test_a_hundred_thousand_broken_files_take_bounded_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(100_000):
        check(number)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 400_000


def test_text_in_any_other_encoding_is_one_error(tmp_path):
    file = tmp_path / "d.hddl"
    for encoding in ("utf-16", "utf-32", "cp500", "latin-1"):
        file.write_bytes(f"(define (domain d)) ; grün {encoding}".encode(encoding))
        with pytest.raises(BthtnError, match=r"BT404|BT440"):
            read_problem(file, file)


def test_long_files_take_linear_time():
    facts = "(at ada north)" * 20_000
    found = domain_in(Source("d.hddl", DOMAIN))
    problem = problem_in(Source("p.hddl", PROBLEM.replace("(at ada north)", facts)), found)
    assert len(problem.facts) > 20_000


@pytest.mark.parametrize(
    "text", ["", "(", ")", "()", "(define", "(define (domain d)", "define", ";", "\n" * 1000]
)
def test_hardly_any_text_is_one_error(text):
    assert outcome(text, PROBLEM) is not None
    assert outcome(DOMAIN, text) is not None


def test_deep_brackets_need_no_deep_recursion():
    limit = sys.getrecursionlimit()
    for inside in ("(not " * 90, "(and " * 90, "(forall (?x) " * 45):
        deep = f"{inside}(at ?p ?to){')' * inside.count('(n') or ')' * inside.count('(a')}"
        outcome(DOMAIN.replace("(at ?p ?to)\n", f"{deep}\n", 1), PROBLEM)
    assert sys.getrecursionlimit() == limit
