"""Shows that a strategy draws what the properties about it need: that they are not vacuous."""

from collections import Counter
from contextlib import suppress

from hypothesis import HealthCheck, Phase, given, settings


class Enough(BaseException):
    """Ends a run of Hypothesis, which takes any Exception for a counterexample."""


def assert_occurs(strategy, kinds_of, least, *, most):
    """Assert that each kind occurs so often among the first examples, and stop when it is so.

    ``kinds_of`` returns the kinds that an example shows: names, or a Counter of them; ``least``
    maps kinds to numbers; ``most`` is the number of examples to give up after. Hypothesis takes
    constants from the modules that a process has loaded, so the same seed draws other examples
    after any change of the code: numbers should be a fraction of what is usual.
    """
    count = Counter()

    @settings(
        max_examples=most,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def look(example):
        count.update(kinds_of(example))
        if all(count[kind] >= number for kind, number in least.items()):
            raise Enough

    with suppress(Enough):
        look()
        raise AssertionError(f"of {least} there are only {dict(count)} in {most} examples")
