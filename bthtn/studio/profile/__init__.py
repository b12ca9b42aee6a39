"""Where did the time go: of which node, operator, sensor, function or search?

``Profile`` measures a part of a program. It says nothing of single lines of code: for these there
are Python's own profilers, which work on a run of bthtn as on everything else.
"""

from bthtn.studio.profile.profile import Profile, Row

__all__ = ["Profile", "Row"]
