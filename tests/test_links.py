"""Links of the manual lead somewhere."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def test_every_link_to_a_file_of_the_repository_leads_to_one():
    missing = [f"{page.relative_to(ROOT)}: {link}" for page in PAGES for link in dead(page)]
    assert not missing, missing


def dead(page):
    text = re.sub(r"```.*?```|<!---.*?--->", "", page.read_text("utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
    return [link for link in links if not (page.parent / link).exists()]
