"""The manual as a site, in a real Chromium."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return folder


@pytest.mark.parametrize("width", [320, 400])
def test_no_page_of_the_manual_scrolls_sideways_on_a_narrow_screen(browser, site, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    pages, wide = sorted(site.rglob("*.html")), []
    for file in pages:
        page.goto(file.as_uri())
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(file.name)
    assert len(pages) > 100
    assert wide == []
    page.close()
