"""What do the field's own files say? HDDL, and PDDL, which is HDDL without methods.

    text ──forms──► brackets ──parser──► domain and problem as data ──lowering──► a planning problem

``syntax`` has the classes of that data. Nothing here searches, and nothing runs what it has read.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.kit.formats.hddl.plan_writer import plan_text
    from bthtn.kit.formats.hddl.reading import converted, read_domain, read_problem

__all__ = ["converted", "plan_text", "read_domain", "read_problem"]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.kit.formats.hddl.plan_writer": "plan_text",
        "bthtn.kit.formats.hddl.reading": "converted read_domain read_problem",
    },
)
