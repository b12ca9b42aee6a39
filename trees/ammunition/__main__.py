"""``python -m bthtn.examples.trees.ammunition``: what everybody does, and at what cost."""

from __future__ import annotations

import sys

from bthtn.examples.trees.ammunition.tree import outcomes

for outcome in outcomes():
    sys.stdout.write(f"{outcome.name:25} {', '.join(outcome.actions):44} {outcome.cost:g}\n")
