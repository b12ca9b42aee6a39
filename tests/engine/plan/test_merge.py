"""What branches side by side lead to together."""

from bthtn import UNKNOWN
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.merge import after_parallel
from bthtn.engine.world.footprint import Footprint, Write, WriteKind
from bthtn.studio.testing.playground import World


def test_an_increase_beside_a_choice_of_unknown_outcome_leads_to_something_unknown():
    increase, chosen = Write(WriteKind.INCREASE, 1), Write(WriteKind.COMPUTED, UNKNOWN)
    for writes in ((increase, chosen), (chosen, increase)):
        footprints = [Footprint(writes={World.count: write}) for write in writes]
        together = after_parallel(footprints, ParallelPolicy.ALL, lambda _, __: 1)
        assert together == {World.count: chosen}
