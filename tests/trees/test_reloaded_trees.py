"""Every example that can be made again goes on in its world when it is reloaded in mid-run."""

from functools import partial

import pytest

from bthtn.behaviours import AgentReloaded, LeafEnded, ReloadFailed
from bthtn.cli.locate import TargetKind, character_of, resolve


@pytest.mark.parametrize(
    "name", ["brawler", "guard", "soldier", "comrade", "fencer", "sentry", "swordsman"]
)
def test_an_example_goes_on_in_its_world(name):
    make = partial(character_of, resolve(name, TargetKind.TREE), 1)
    character = make()
    agents = character.agents
    events = []
    for tick in range(300):
        if character.finished:
            break
        if tick in (2, 7, 12):
            character.reload(make)
        events += character.tick()
    assert not [one for one in events if isinstance(one, ReloadFailed)]
    assert len([one for one in events if isinstance(one, AgentReloaded)]) >= 3 * len(agents)
    assert [one for one in events if isinstance(one, LeafEnded) and one.succeeded]
    assert character.finished
    assert dict(character.agents) == dict(agents)
    character.stop()
