"""Skills in sheets: attacks derived from templates, and the skills of each kind of agent."""

from typing import Literal

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.behaviours import NO_BACKOFF, Agent, Operators, PlanGoal, Replanning
from bthtn.errors import ExecutionError, InputError
from bthtn.kit import DrawnGoal, Lottery, read_lottery, read_skill_table, read_skills


class Enemy(State):
    distance: Fluent[float] = fluent(default=8.0)
    value: FluentFamily[str, float] = fluents(default=10_000.0)


melee = Domain("melee", Enemy)


@melee.primitive
def approach(reach: float) -> Primitive:
    return primitive(effects=Enemy.distance.becomes(reach))


@melee.primitive
def strike(animation: Literal["slash", "bash", "swing"], reach: float) -> Primitive:
    return primitive(
        precondition=Enemy.distance <= reach, effects=Enemy.distance.becomes(reach + 3)
    )


@melee.compound
def attack(skill: str, animation: Literal["slash", "bash", "swing"], reach: float) -> Methods:
    yield method(approach(reach), strike(animation, reach), value=Enemy.value[skill])


@melee.extension_point
def attack_main() -> Methods:
    yield method(attack("", "swing", 2.0))


enemy = Domain("enemy", Enemy)
wait = enemy.primitive("wait")


@enemy.extension_point
def attack_main() -> Methods:  # noqa: F811 - the same extension point of another domain
    yield from ()


@enemy.compound
def battle() -> Methods:
    yield method(attack_main())
    yield method(wait(), value=200)


SKILLS = "Skill,Template,Animation,Reach\nSlash,attack,slash,2.5\nBash,attack,bash,1.5\n"
KINDS = 'Kind,Skills\nrat,\ngoblin,Bash\nogre,"Bash, Slash"\n'


@pytest.fixture
def put(tmp_path):
    def put_it(text, name):
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return put_it


def steps(domain):
    return [str(one) for one in find_plan(domain, Enemy(value={"Slash": 0, "Bash": 5}), battle())]


def test_r003_06_an_attack_is_its_template_with_the_values_of_its_row(put):
    skills = read_skills(put(SKILLS, "skills.csv"), melee)
    assert list(skills) == ["Slash", "Bash"]
    assert skills["Slash"].authored == ("approach_Slash", "strike_Slash", "Slash", "attack_main")
    table = read_skill_table(put("Kind,Skill\nimp,Slash\n", "kinds.csv"), enemy, skills)
    plan = find_plan(table.domain("imp"), Enemy(value={"Slash": 0}), battle())
    assert [str(one) for one in plan.steps] == ["approach_Slash(2.5)", "strike_Slash('slash', 2.5)"]


@pytest.mark.parametrize(("kind", "last"), [("rat", "wait"), ("goblin", "Bash"), ("ogre", "Slash")])
def test_r003_07_each_kind_has_the_skills_of_its_row(put, kind, last):
    skills = read_skills(put(SKILLS, "skills.csv"), melee)
    table = read_skill_table(put(KINDS, "kinds.csv"), enemy, skills)
    state = Enemy(value={"Slash": 0, "Bash": 5})
    assert last in str(find_plan(table.domain(kind), state, battle()).steps[-1])


def test_the_number_of_a_parameter_may_have_a_decimal_comma_beside_semicolons(put):
    skills = read_skills(put(SKILLS.replace(",", ";").replace(".", ","), "skills.csv"), melee)
    table = read_skill_table(put("Kind,Skill\nimp,Slash\n", "kinds.csv"), enemy, skills)
    plan = find_plan(table.domain("imp"), Enemy(value={"Slash": 0}), battle())
    assert str(plan.steps[0]) == "approach_Slash(2.5)"


def test_a_parameter_of_another_template_is_refused_in_the_row_that_has_it(put):
    archery = Domain("archery", Enemy)

    @archery.compound
    def shoot(skill: str, arrows: int) -> Methods:
        yield method(value=Enemy.value[skill])

    text = "Skill,Template,Reach,Arrows\nBash,attack,1.5,\nVolley,shoot,,3\n{}"
    assert list(read_skills(put(text.format(""), "s.csv"), melee, archery)) == ["Bash", "Volley"]
    wrong = put(text.format("Hail,shoot,2.5,9\n"), "s.csv")
    with pytest.raises(InputError, match=r"BT103.*no parameter 'Reach'\n.*s.csv:4, column Reach"):
        read_skills(wrong, melee, archery)


def test_the_sheets_can_be_written_in_toml(put):
    text = '[[row]]\nskill = "Slash"\ntemplate = "attack"\nanimation = "slash"\nreach = 2.5\n'
    skills = read_skills(put(text, "skills.toml"), melee)
    kinds = '[[row]]\nkind = "imp"\nskills = ["Slash"]\n[[row]]\nkind = "rat"\nskills = []\n'
    table = read_skill_table(put(kinds, "kinds.toml"), enemy, skills)
    assert table.kinds == ("imp", "rat")
    assert table.skills("imp") == (skills["Slash"],)
    assert table.skills("rat") == ()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Skill,Template\nSlash,atack\n", r"BT101.*'atack'\n.*s.csv:2\n.*'attack'"),
        ("Skill,Template\nSlash,strike\n", r"no template is called 'strike'"),
        ("Skill,Template\nSlash\n", r"the row has no Template\n.*s.csv:2\n.*a compound task"),
        (
            "Skill,Template,Animaton\nSlash,attack,slash\n",
            r"BT103.*a parameter 'Animaton'\n.*s.csv:1, column Animaton\n.*'animation'",
        ),
        (
            "Skill,Template,Animation\nSlash,attack,slahs\n",
            r"'animation' cannot be slahs\n.*s.csv:2, column Animation\n.*'slash'",
        ),
        (
            "Skill,Template,Reach\nSlash,attack,far\n",
            r"'reach' is float and cannot be far\n.*s.csv:2, column Reach\n.*a number",
        ),
        ("Skill,Template\nattack_main,attack\n", r"BT104.*would both be called 'attack_main'"),
        ("Skill,Template\nA,attack\nA,attack\n", r"two rows are for 'A'\n.*s.csv:3"),
    ],
)
def test_what_is_wrong_in_a_sheet_of_skills_is_reported_with_its_place(put, text, what):
    with pytest.raises(InputError, match=what):
        read_skills(put(text, "s.csv"), melee)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Kind,Skills\nimp,Slahs\n", r"'Slahs'\n.*k.csv:2, column Skills\n.*'Slash'"),
        ("Kind,Skills\n,Slash\n", r"the row has no Kind\n.*k.csv:2"),
        ("Kind,Skills\nimp,\nimp,\n", r"two rows are for 'imp'\n.*k.csv:3"),
        ("Kind,Skils\nimp,Slash\n", r"no column 'Skils'\n.*\n.*'Skills'"),
    ],
)
def test_what_is_wrong_in_a_sheet_of_kinds_is_reported_with_its_place(put, text, what):
    skills = read_skills(put(SKILLS, "skills.csv"), melee)
    with pytest.raises(InputError, match=what):
        read_skill_table(put(text, "k.csv"), enemy, skills)


def test_r003_07_a_skill_without_an_operator_is_an_error_when_the_table_is_read(put):
    skills = read_skills(put(SKILLS, "skills.csv"), melee)
    kinds = put(KINDS, "kinds.csv")
    operators = Operators()
    with pytest.raises(ExecutionError, match=r"BT311.*'wait' has no operator\n.*domain 'enemy'"):
        read_skill_table(kinds, enemy, skills, operators=operators)
    operators.simulate(wait, approach)
    with pytest.raises(ExecutionError, match=r"'strike_Bash' has no operator\n.*'enemy\+Bash'"):
        read_skill_table(kinds, enemy, skills, operators=operators)
    operators.bind(strike)(lambda agent, animation, reach: None)
    assert read_skill_table(kinds, enemy, skills, operators=operators).kinds


def test_r003_06_fifty_attacks_of_one_table_are_all_done_by_the_operator_of_their_template(put):
    names = [f"Attack{number}" for number in range(50)]
    rows = "".join(f"{name},attack,slash,{reach}\n" for reach, name in enumerate(names, 1))
    skills = read_skills(put(f"Skill,Template,Animation,Reach\n{rows}", "skills.csv"), melee)
    table = read_skill_table(
        put(f'Kind,Skills\nogre,"{", ".join(names)}"\n', "kinds.csv"), enemy, skills
    )
    weights = "".join(f"{name},10,10\n" for name in names)
    lottery = Lottery(
        read_lottery(put(f"Name,Weight,WeightInc\n{weights}", "l.csv"), Enemy), seed=3
    )
    operators, struck = Operators(), []
    operators.simulate(wait, approach)
    operators.bind(strike)(lambda agent, animation, reach: struck.append(reach))
    beliefs, domain = Enemy(), table.domain("ogre")
    agent = Agent("ogre", domain, beliefs, body=None, operators=operators, strict=True)
    goal = PlanGoal("b", agent, battle(), max_replans=0, replanning=Replanning(retrying=NO_BACKOFF))
    root, done = DrawnGoal("draw", goal, lottery, Enemy.value, step=1), set()
    while len(done) < len(names) and lottery.draws < 1_000:
        root.tick_once()
        done.add(root.action)
    assert done == set(names)
    assert set(struck) == {float(reach) for reach in range(1, 51)}


@pytest.mark.parametrize("cell", ["nan", "inf", "-Infinity", "1e400"])
def test_a_number_of_an_attack_that_is_infinite_or_none_is_refused_at_its_place(tmp_path, cell):
    path = tmp_path / "attacks.csv"
    path.write_text(f"Skill,Template,Animation,Reach\nSlash,attack,slash,{cell}\n")
    with pytest.raises(InputError) as caught:
        read_skills(path, melee)
    (fault,) = caught.value.diagnostics
    assert fault.where.startswith(f"{path}:2")
    assert fault.hint == "write a finite number"


def test_nan_of_toml_is_no_number_of_an_attack(tmp_path):
    path = tmp_path / "attacks.toml"
    path.write_text(
        '[[row]]\nSkill = "Slash"\nTemplate = "attack"\nAnimation = "slash"\nReach = nan\n'
    )
    with pytest.raises(InputError, match="'reach' is nan"):
        read_skills(path, melee)
