"""The random problems are worth solving: the properties here are not true of nothing.

Counted over a fixed thousand of them. A share that drops below its line means that the
strategies, not the planner, have changed: mend them before you believe any property.
"""

from hypothesis import given

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.studio.testing.strategies import problem_text, problems, states


class Soldier(State):
    """A state class that the strategies have never seen."""

    rank: Fluent[tuple] = fluent(default=("private",))
    health: Fluent[int] = fluent(default=5)
    spotted: FluentFamily[int, bool] = fluents(default=False, index=int)


@given(states(Soldier, members=(1, 2, "a")))
def test_states_of_any_schema_hold_values_of_the_right_types(state):
    for variable, value in state.items():
        assert variable.accepts(value)
        assert variable.index in (None, 1, 2)
        assert variable.value_type is not tuple or value is UNKNOWN, "others keep their default"


@given(problems())
def test_a_problem_can_be_read(problem):
    text = problem_text(problem)
    assert all(name in text for name in problem.domain.tasks)
    assert repr(problem.state) in text
