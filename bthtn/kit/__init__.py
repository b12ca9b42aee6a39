"""A kit for games: lotteries of attacks, skills, coordinators, crowds, their sheets.

Everything here is built on the public classes of the engine, which does not import it. Each public
name is imported when it is first used: most of them need py_trees.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.kit.character_files import CharacterFiles
    from bthtn.kit.coordinator import CombatCoordinator, CombatUnits, grouped
    from bthtn.kit.coordinator_file import GroupRow, RoleTable, read_groups, read_roles
    from bthtn.kit.crowd import Crowd, Detail
    from bthtn.kit.drawn_goal import DrawnGoal
    from bthtn.kit.engines.host import EngineHost
    from bthtn.kit.folder_reader import read_character
    from bthtn.kit.formats.hddl.reading import read_problem
    from bthtn.kit.goals_file import GoalTable, read_goals
    from bthtn.kit.lottery import Lottery, LotteryRow, LotteryTable
    from bthtn.kit.lottery_file import read_lottery
    from bthtn.kit.skills import SkillSlots, SkillTable
    from bthtn.kit.skills_file import read_skill_table, read_skills

__all__ = [
    "CharacterFiles",
    "CombatCoordinator",
    "CombatUnits",
    "Crowd",
    "Detail",
    "DrawnGoal",
    "EngineHost",
    "GoalTable",
    "GroupRow",
    "Lottery",
    "LotteryRow",
    "LotteryTable",
    "RoleTable",
    "SkillSlots",
    "SkillTable",
    "grouped",
    "read_character",
    "read_goals",
    "read_groups",
    "read_lottery",
    "read_problem",
    "read_roles",
    "read_skill_table",
    "read_skills",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.kit.character_files": "CharacterFiles",
        "bthtn.kit.coordinator": "CombatCoordinator CombatUnits grouped",
        "bthtn.kit.coordinator_file": "GroupRow RoleTable read_groups read_roles",
        "bthtn.kit.crowd": "Crowd Detail",
        "bthtn.kit.drawn_goal": "DrawnGoal",
        "bthtn.kit.engines.host": "EngineHost",
        "bthtn.kit.folder_reader": "read_character",
        "bthtn.kit.formats.hddl.reading": "read_problem",
        "bthtn.kit.goals_file": "GoalTable read_goals",
        "bthtn.kit.lottery": "Lottery LotteryRow LotteryTable",
        "bthtn.kit.lottery_file": "read_lottery",
        "bthtn.kit.skills": "SkillSlots SkillTable",
        "bthtn.kit.skills_file": "read_skill_table read_skills",
    },
)
