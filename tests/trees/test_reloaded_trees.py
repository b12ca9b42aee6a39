"""Every example that can be made again goes on in its world when it is reloaded in mid-run."""

import pytest

from bthtn.behaviours import AgentReloaded, LeafEnded, ReloadFailed
from bthtn.examples.trees.brawler import tree as brawler
from bthtn.examples.trees.guard import tree as guard
from bthtn.examples.trees.soldier import tree as soldier


@pytest.mark.parametrize("tree", [brawler, guard, soldier], ids=lambda one: one.__name__)
def test_an_example_goes_on_in_its_world(tree):
    character = tree.character(1)
    agents = character.agents
    events = []
    for tick in range(300):
        if character.finished:
            break
        if tick in (2, 7, 12):
            character.reload(lambda running: tree.character(1, running))
        events += character.tick()
    assert not [one for one in events if isinstance(one, ReloadFailed)]
    assert len([one for one in events if isinstance(one, AgentReloaded)]) >= 3 * len(agents)
    assert [one for one in events if isinstance(one, LeafEnded) and one.succeeded]
    assert character.finished
    assert dict(character.agents) == dict(agents)
    character.stop()
