"""The trunk thumper: a troll who guards bridges, and every stage of his design.

Each stage is a class that says only what is different from the stage before. The numbers are
those of the chapter in which the troll was first described.
"""

from __future__ import annotations

from .fighting import Recovering, Tiring, Whirling
from .thumper import Following, Forgetful, Hopeless, Sketch, Thumper, TwoSlams, Uprooting
from .walking import Background, Paths, SettingOffOnce, Split

sketch = Sketch("troll:sketch")  # 12.2
thumper = Thumper("troll:thumper")  # 12.3
two_slams = TwoSlams("troll:two_slams")  # 12.4
uprooting = Uprooting("troll:uprooting")  # 12.6
forgetful = Forgetful("troll:forgetful")
following = Following("troll:following")  # 12.7
hopeless = Hopeless("troll:hopeless")
troll = Recovering("troll")  # 12.8
whirling = Whirling("troll:whirling")
tiring = Tiring("troll:tiring")
background = Background("troll:background")  # 12.9
setting_off_once = SettingOffOnce("troll:setting_off_once")
paths = Paths("troll:paths")  # 12.10
split = Split("troll:split")
