"""Worked examples: HTN domains, and behaviour trees that plan with them.

``from bthtn.examples.domains.combat.domain import combat`` works wherever bthtn does. In the
repository ``domains/`` and ``trees/`` lie at the top, and the packages of these names here only say
so; the wheel carries the folders here, in their place. So an example has one name in both, and
bthtn takes no top-level names but its own.
"""
