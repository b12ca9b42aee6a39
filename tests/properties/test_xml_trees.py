"""Random trees in XML, run here and by BehaviorTree.CPP itself, do the same in every tick.

The same text is read by ``tree_from_xml`` and by the real engine. The statuses of the root, and
what happens to the leaves in each tick, have to be the same; and a tree that is written is read
again as it was.

When a cycle of a loop, or a child of a SequenceWithMemory, begins and ends in one tick, the engine
ticks the whole tree again before the next one, and so asks again what stands before it. There, the
loops that are drawn have a leaf that takes at least two ticks, and the sequences one child.
"""

from collections import Counter
from random import Random

import pytest
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn import Domain, Fluent, State, fluent
from bthtn.behaviours import Agent
from bthtn.kit.formats import tree_from_xml, xml_of
from bthtn.studio.testing.doubles import letter_of
from tests.sizes import seeds

engine = pytest.importorskip("behaviortreepy")  # there are wheels for Linux alone

STATUS = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}
ENGINE_STATUS = {
    "R": engine.NodeStatus.RUNNING,
    "S": engine.NodeStatus.SUCCESS,
    "F": engine.NodeStatus.FAILURE,
}
LETTERS = {"RUNNING": "R", "SUCCESS": "S", "FAILURE": "F", "SKIPPED": "-"}
PRECONDITIONS = ("_failureIf", "_successIf", "_skipIf", "_while")
SEQUENCES = ("Sequence", "ReactiveSequence", "Fallback", "ReactiveFallback")
SKIPS = ("_skipIf", "_while", 'then_skip="true"', "SKIPPED", "SubTree")
SCRIPTS = ("_onSuccess", "_onFailure", "_onHalted", "_post")
PLAIN = ("Inverter", "ForceSuccess", "ForceFailure", "KeepRunningUntilFailure", "RunOnce")
BRANCHES = ("IfThenElse", "WhileDoElse")
COUNTED = {"Repeat": "num_cycles", "RetryUntilSuccessful": "num_attempts"}
ASKED_AGAIN = ("ReactiveSequence", "ReactiveFallback", "Parallel", "ParallelAll", "WhileDoElse")
EVERY = (
    *(*SEQUENCES, *PLAIN, *BRANCHES, *COUNTED, "Parallel", "Switch2", "Switch3", "SubTree"),
    *("SequenceWithMemory", "ParallelAll", "Precondition"),
)
CONDITIONS = ("flag", "!flag", "n &lt; 3 || flag", "n == 2 &amp;&amp; !flag", "n - 1 &gt; 2")
CHANGES = ("n += 1", "n = 0; n := n + 2", "flag := !flag", "n -= 1")
MOODS = ("calm", "angry", "afraid")
DEPTH = 3
SEEDS = seeds(quick=30, thorough=400, night=2_000)


class Beast(State):
    flag: Fluent[bool] = fluent(default=False)
    n: Fluent[int] = fluent(default=0)
    mood: Fluent[str] = fluent(default="calm")


beasts = Domain("beasts", Beast)
beasts.primitive("wait")


class Drawn:
    """A random tree in XML, the scripts of its leaves by their names, and what then happens."""

    def __init__(self, seed):
        self._random = Random(seed)  # noqa: S311 - dice
        self.scripts, self.kinds, self._trees = {}, Counter(), []
        root = self._node("", DEPTH)
        self.text = document(root, *self._trees)
        # The engine's halt_tree halts every node, and runs what is to be run when it is halted.
        stop = "tick" if "_onHalted" in self.text else "stop"
        moments = ("tick", "tick", "tick", "tick", stop, True, False, *MOODS)
        self.moments = [self._random.choice(moments) for _ in range(15)]

    def _node(self, place, depth, above="", *, beside=False):
        chance, choice = self._random.random, self._random.choice
        # The engine asks only once before what it asks itself, and has no place for its skip.
        asked = choice(PRECONDITIONS) if chance() < 0.2 and not above.endswith("?") else ""
        script = choice(SCRIPTS) if chance() < 0.1 else ""
        beside = beside or asked == "_while"
        given = {asked: choice(CONDITIONS), script: choice(CHANGES)}
        attributes = {name: text for name, text in given.items() if name}
        tag = choice(EVERY) if depth and chance() > 0.15 else "L"
        if tag == "L" and chance() < 0.15:
            self.kinds["Script"] += 1
            return element("Script", {**attributes, "code": choice(CHANGES)}, [])
        if tag == "L":
            self.kinds.update(attributes.keys())
            return self._leaf(place, above, attributes)
        self.kinds[tag] += 1
        if tag in COUNTED and beside:
            children = [self._leaf(f"{place}0", "", {}, slow=True)]
        else:
            children = self._children(tag, place, depth, beside=beside)
        if any(skip in child for skip in SKIPS for child in children):
            # A node whose children were skipped keeps its status in the engine: what is before it
            # is not asked again, and it can be halted.
            attributes.pop(asked, None)
            attributes.pop("_onHalted", None)
        self.kinds.update(attributes.keys())
        attributes |= self._ports(tag, len(children))
        if tag == "SubTree":
            attributes["ID"] = f"T{place}"
            is_open = "n" in attributes or "_autoremap" in attributes
            if not is_open and "_onHalted" in str([children, self._trees]):
                attributes["n"] = "{n}"  # which is not there yet when the engine ends
            elif not is_open:
                first = element("Script", {"code": "n := 0"}, [])
                children = [element("Sequence", {}, [first, *children])]
            self._trees.append((f"T{place}", *children))
            children = []
        return element(tag, attributes, children)

    def _ports(self, tag, count):
        choice = self._random.choice
        match tag:
            case "Repeat" | "RetryUntilSuccessful":
                return {COUNTED[tag]: choice("1234")}
            case "RunOnce":
                return {"then_skip": choice(["true", "false"])}
            case "Precondition":
                return {"if": choice(CONDITIONS), "else": choice(["FAILURE", "SUCCESS", "SKIPPED"])}
            case "ParallelAll":
                return {"max_failures": choice(["-1", "1", str(count)])}
            case "Parallel":
                ports = ("success_count", "failure_count")
                return {port: choice(["-1", "1", str(count)]) for port in ports}
            case "Switch2" | "Switch3":
                cases = {f"case_{n}": mood for n, mood in enumerate(MOODS[: count - 1], 1)}
                return {"variable": "{mood}", **cases}
            case "SubTree":
                given = {"flag": "{flag}", "mood": "{=}"}
                return choice([{"_autoremap": "true"}, given, {**given, "n": "{n}"}])
        return {}

    def _children(self, tag, place, depth, *, beside):
        one = (*PLAIN, *COUNTED, "SubTree", "Precondition")
        in_order = (*SEQUENCES, "SequenceWithMemory")
        least, most = (1, 3) if tag in in_order else (1, 1) if tag in one else (2, 4)
        least, most = (2, 3) if tag in BRANCHES else (least, most)
        most = 1 if tag == "SequenceWithMemory" and beside else most
        count = self._random.randint(least, most)
        count = int(tag[-1]) + 1 if tag.startswith("Switch") else count
        is_asked_again = count > 1 and tag in ASKED_AGAIN
        return [
            self._node(
                f"{place}{n}",
                # What the engine asks must not be skipped.
                0 if tag in BRANCHES and not n else depth - 1,
                f"{tag}?" if tag in BRANCHES and not n else tag,
                beside=beside or is_asked_again,
            )
            for n in range(count)
        ]

    def _leaf(self, place, above, attributes, *, slow=False):
        if slow:
            self.kinds["slow"] += 1
            self.scripts[f"W{place}"] = "R" + self._random.choice("SF")
            return element(f"W{place}", attributes, [])
        if self._random.random() < 0.1:
            return element(self._random.choice(["AlwaysSuccess", "AlwaysFailure"]), attributes, [])
        script = "".join(self._random.choices("RSFSF", k=self._random.randint(1, 5)))
        if above.endswith("?"):
            # The engine does not start a stateful leaf anew where it is asked as a condition.
            name, script = f"C{place}", script.replace("R", "S")
        else:
            name = f"L{place}"
        self.scripts[name] = script
        return element(name, attributes, [])


def document(main, *others):
    trees = [("Main", main), *others]
    written = (f'<BehaviorTree ID="{name}">{inside}</BehaviorTree>' for name, inside in trees)
    head = '<root BTCPP_format="4" main_tree_to_execute="Main">'
    return "\n".join([head, *written, "</root>"])


def element(tag, attributes, children):
    written = "".join(f' {name}="{text}"' for name, text in attributes.items())
    return f"<{tag}{written}>{''.join(children)}</{tag}>"


class Leaf(Behaviour):
    """Follows its script from run to run; one that waits (W) begins it anew in each run."""

    def __init__(self, name, script: str, log=None):
        super().__init__(name)
        self.script, self.log, self.ticked = script, log, 0

    def initialise(self):
        self.log.append(f"start {self.name}")
        self.ticked = 0 if self.name[0] == "W" else self.ticked

    def update(self):
        letter = self.script[self.ticked % len(self.script)]
        self.ticked += 1
        self.log.append(f"{letter} {self.name}")
        return STATUS[letter]

    def terminate(self, new_status):
        if new_status is Status.INVALID and self.status is Status.RUNNING:
            self.log.append(f"abort {self.name}")


def read(drawn, log):
    """The tree that is read here, and its agent."""
    agent = Agent("beast", beasts, Beast(), body=None)

    def maker(script):
        return lambda name: Leaf(name, script, log)

    makers = {name: maker(script) for name, script in drawn.scripts.items()}
    return tree_from_xml(drawn.text, agent, nodes=makers), agent


def read_again(root, log):
    """The tree that is read from what is written of another one, and its agent."""
    agent = Agent("beast", beasts, Beast(), body=None)

    def leaf(name: str, script: str):
        return Leaf(name, script, log)

    return tree_from_xml(xml_of(root), agent, nodes={"Leaf": leaf}), agent


def happens(root, agent, chosen, log):
    """What happens in each moment: the events of leaves, and the letter of the root."""
    happened = []
    for moment in chosen:
        log.clear()
        match moment:
            case "tick":
                root.tick_once()
                log.append(letter_of(root.status))
            case "stop":
                root.stop(Status.INVALID)
            case bool():
                agent.believe(Beast.flag, moment)
            case _:
                agent.believe(Beast.mood, moment)
        happened.append([*log])
    return happened


def of_engine(drawn):
    """The same in BehaviorTree.CPP."""
    log, happened = [], []
    factory, board = engine.BehaviorTreeFactory(), engine.Blackboard.create()
    for name, script in drawn.scripts.items():
        register(factory, name, script, log)
    board.set_bool("flag", False)
    board.set_int("n", 0)
    board.set_string("mood", "calm")
    factory.register_behavior_tree_from_text(drawn.text)
    tree = factory.create_tree("Main", board)
    for moment in drawn.moments:
        log.clear()
        match moment:
            case "tick":
                log.append(LETTERS[tree.tick_once().name])
            case "stop":
                tree.halt_tree()
            case bool():
                board.set_bool("flag", moment)
            case _:
                board.set_string("mood", moment)
        happened.append([*log])
    return happened


def register(factory, name, script, log):
    ticked = Counter()

    def run(_):
        letter = script[ticked[name] % len(script)]
        ticked[name] += 1
        log.append(f"{letter} {name}")
        return ENGINE_STATUS[letter]

    def start(node):
        log.append(f"start {name}")
        ticked[name] = 0 if name[0] == "W" else ticked[name]
        return run(node)

    if name[0] == "C":
        factory.register_simple_condition(name, start)
    else:
        factory.register_simple_stateful_action(
            name, start, run, lambda _: log.append(f"abort {name}")
        )


def test_a_tree_in_xml_does_what_the_real_engine_does_with_it():
    for seed in SEEDS:
        drawn, log = Drawn(seed), []
        root, agent = read(drawn, log)
        assert happens(root, agent, drawn.moments, log) == of_engine(drawn), (seed, drawn.text)


def test_a_tree_that_is_written_is_read_again_as_it_was():
    for seed in SEEDS:
        drawn, log, again = Drawn(seed), [], []
        root, agent = read(drawn, log)
        copy, its_agent = read_again(root, again)
        assert [shape(node) for node in copy.iterate()] == [shape(node) for node in root.iterate()]
        assert xml_of(copy) == xml_of(root), (seed, drawn.text)
        happened = happens(copy, its_agent, drawn.moments, again)
        assert happened == happens(root, agent, drawn.moments, log), (seed, drawn.text)


def shape(node):
    return type(node), node.name, len(node.children)


def test_what_stands_before_a_loop_is_asked_once_in_a_tick():
    drawn, log = Drawn(0), []
    loop = '<Repeat num_cycles="3"><AlwaysSuccess/></Repeat>'
    drawn.text = document(f"<ReactiveSequence><C1/>{loop}</ReactiveSequence>")
    drawn.scripts, drawn.moments = {"C1": "S"}, ["tick"]
    root, agent = read(drawn, log)
    assert happens(root, agent, drawn.moments, log) == [["start C1", "S C1", "S"]]
    assert of_engine(drawn) == [[*["start C1", "S C1"] * 3, "S"]]
