"""How large a test is that counts, measures or repeats something many times."""

from hypothesis import settings

PROFILE = settings.get_current_profile_name()


def size(*, quick: int, thorough: int, night: int | None = None) -> int:
    """One of the numbers, by the profile that the tests are run with."""
    match PROFILE:
        case "quick":
            return quick
        case "night" if night is not None:
            return night
        case _:
            return thorough


def seeds(*, quick: int, thorough: int, night: int | None = None) -> range:
    """Seeds of random problems; the profile ``thorough`` leaves out those of ``quick``.

    What is drawn for a seed is always the same, and whoever runs the one runs the other, too.
    """
    first = quick if PROFILE == "thorough" else 0
    return range(first, size(quick=quick, thorough=thorough, night=night))
