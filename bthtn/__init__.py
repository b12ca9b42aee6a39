"""bthtn: behaviour trees on top, an HTN planner below, and plans that are behaviour trees.

The names for describing a domain and planning with it are those of ``bthtn.api``. Each is imported
when it is first used: so the command answers Ctrl-C while everything else is imported, and a script
does not wait for what it does not use.
To run plans, ``from bthtn.behaviours import Agent, Operators, PlanGoal``.
"""

from bthtn.version import VERSION

__version__ = VERSION

TYPE_CHECKING = False  # that of `typing`, which takes time to import

if TYPE_CHECKING:
    from bthtn.api import *  # noqa: F403 - the names are checked in bthtn.api
else:

    def __getattr__(name: str) -> object:
        """A public name, or ``__all__``, that is used for the first time."""
        api = _api()
        if name != "__all__" and name not in api.__all__:
            raise AttributeError(f"module 'bthtn' has no attribute '{name}'", name=name)
        found = globals()[name] = getattr(api, name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_api().__all__})

    def _api() -> object:
        from importlib import import_module  # noqa: PLC0415 - see the docstring

        return import_module("bthtn.api")
