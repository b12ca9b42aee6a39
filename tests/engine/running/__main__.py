"""Holds PlanGoal against the running reference in many random scenes: ``make running``."""

import sys
from argparse import ArgumentParser

from tests.engine.running.pair import compared
from tests.engine.running.scenes import scene


def main():
    """Compare tick by tick. Returns 1 if a scene differs."""
    parser = ArgumentParser("python -m tests.engine.running", description=__doc__)
    parser.add_argument("--scenes", type=int, default=4_500)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    ticks, different = 0, []
    for number in range(asked.first, asked.first + asked.scenes):
        planned, specified = compared(scene(number))
        ticks += len(planned)
        if planned != specified:
            different.append(number)
    print(  # noqa: T201 - what it is run for
        f"{ticks} ticks of {asked.scenes} scenes; scenes that differ: {different or 'none'}"
    )
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
