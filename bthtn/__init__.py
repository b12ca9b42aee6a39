"""bthtn: behaviour trees on top, an HTN planner below, and plans that are behaviour trees.

The names for describing a domain and planning with it are those of ``bthtn.api``, which is imported
when the first of them is used: so the command answers Ctrl-C while everything else is imported.
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
        names = _public_names()
        if name not in names:
            raise AttributeError(f"module 'bthtn' has no attribute '{name}'", name=name)
        globals().update(names)
        return names[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *_public_names()})

    def _public_names() -> dict[str, object]:
        from importlib import import_module  # noqa: PLC0415 - see the docstring

        api = import_module("bthtn.api")
        return {name: getattr(api, name) for name in ("__all__", *api.__all__)}
