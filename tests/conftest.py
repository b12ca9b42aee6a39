"""How hard Hypothesis tries: ``pytest --hypothesis-profile night`` for the long search."""

import os

from hypothesis import settings

# No deadlines: they measure the machine. CI repeats its examples, so that a red run stays red.
settings.register_profile("dev", max_examples=100, deadline=None)
settings.register_profile("ci", max_examples=300, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("night", max_examples=5_000, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")
