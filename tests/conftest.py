"""How hard Hypothesis tries: ``pytest --hypothesis-profile night`` for the long search."""

import os

from hypothesis import Phase, settings

# No deadlines: they measure the machine. CI repeats its examples, so that a red run stays red.
settings.register_profile("dev", max_examples=100, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("night", max_examples=5_000, deadline=None)
settings.register_profile(
    "unshrunk",  # says fast that something fails, not by which least example
    max_examples=100,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")
