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
