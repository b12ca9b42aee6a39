"""Worked examples: HTN domains, and behaviour trees that plan with them.

``from bthtn.examples.domains.combat.domain import combat`` works wherever bthtn does. In the
repository ``domains/`` and ``trees/`` are links to the folders at the top; the wheel carries
these folders here. So an example has one name in both, and bthtn takes no top-level names
but its own.
"""
