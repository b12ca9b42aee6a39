"""The files of a character without Python, as ``bthtn new --files`` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FILES: Final[Mapping[str, str]] = {
    "character.toml": """\
# STARTER who hides from a wolf, and else keeps a fire burning; made of files.
finished = "rests >= 3"
simulate = ["gather", "light", "rest", "hide"]  # these need no operator yet

[beliefs]
wood = 0
burning = false
wolf = false
rests = 0
""",
    "tasks.xml": """\
<root BTCPP_format="4">
  <BehaviorTree ID="keep_warm">
    <Fallback>
      <Sequence name="it burns">
        <CheckState condition="burning"/>
        <SubTask task="rest"/>
      </Sequence>
      <Sequence name="there is wood">
        <CheckState condition="wood > 0"/>
        <SubTask task="light"/>
      </Sequence>
      <Sequence name="there is none">
        <SubTask task="gather"/>
        <SubTask task="light"/>
      </Sequence>
    </Fallback>
  </BehaviorTree>
  <BehaviorTree ID="gather">
    <Sequence>
      <ModifyState set="wood increases by 1"/>
      <Command name="gather" duration="2"/>
    </Sequence>
  </BehaviorTree>
  <BehaviorTree ID="light">
    <Sequence>
      <CheckState condition="wood > 0"/>
      <ModifyState set="wood decreases by 1; burning := true"/>
      <Command name="light"/>
    </Sequence>
  </BehaviorTree>
  <BehaviorTree ID="rest">
    <Sequence>
      <CheckState condition="burning"/>
      <ModifyState set="rests increases by 1"/>
      <Command name="rest" duration="1"/>
    </Sequence>
  </BehaviorTree>
  <BehaviorTree ID="hide">
    <Sequence>
      <CheckState condition="wolf"/>
      <Command name="hide" duration="1"/>
    </Sequence>
  </BehaviorTree>
</root>
""",
    "tree.xml": """\
<root BTCPP_format="4">
  <BehaviorTree ID="starter">
    <ReactiveFallback name="starter">
      <Sequence name="danger">
        <Believes condition="wolf"/>
        <PlanGoal name="stay alive" goal="hide"/>
      </Sequence>
      <PlanGoal name="keep warm" goal="keep_warm"/>
    </ReactiveFallback>
  </BehaviorTree>
</root>
""",
    "cases.toml": """\
# Plans that are expected: bthtn check, bthtn test and pytest try them.
[without_wood]
task = "keep_warm"
expect = "(gather, light)"

[with_wood]
given = { wood = 1 }
task = "keep_warm"
expect = "light"
""",
    "wolf.scenario.toml": """\
# A wolf comes while the STARTER gathers wood: hide, and begin again when it is gone.
tree = "tree.xml"

[[when]]
tick = 2
beliefs = { wolf = true }

[[when]]
tick = 4
beliefs = { wolf = false }

[[expect]]
event = "start gather"

[[expect]]
event = "start hide"
within = 2

[[expect]]
event = "done light"
within = 9

[[never]]
event = "failed *"
""",
}
"""The texts of the files; STARTER stands for what the character is, ``starter`` for its name."""
