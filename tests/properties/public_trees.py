"""Public trees of format 4, run here and by BehaviorTree.CPP itself, do the same in every tick.

    python -m tests.properties.public_trees FOLDER [--files 100] [--runs 1000] [--seed 1]

The folder has one folder for each repository. The nodes of a file's own are leaves with random
outcomes: their ports do not count, a decorator or control node among them is a sequence, and so is
what waits for a clock. Below a loop a leaf runs for a tick at least, see ``test_xml_trees``. In
each run, keys have random values, which change; the tree is ticked, and halted at the end.
"""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random
from xml.sax.saxutils import quoteattr

import behaviortreepy as engine
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.errors import BthtnError
from bthtn.kit.formats import stubs_of, tree_from_xml
from bthtn.kit.formats.format_three import FOUR
from bthtn.kit.formats.node_kinds import CATEGORIES
from bthtn.kit.formats.tree_documents import Documents
from bthtn.kit.formats.tree_nodes import CPP_NODES, REFUSED

TIMED = ("Timeout", "Delay", "Sleep")
LOOPS = ("Repeat", "RetryUntilSuccessful", "SequenceWithMemory")
STATUSES = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}
LETTERS = {"RUNNING": "R", "SUCCESS": "S", "FAILURE": "F", "SKIPPED": "-", "INVALID": "-"}
ENGINES = {letter: getattr(engine.NodeStatus, status.name) for letter, status in STATUSES.items()}
MOMENTS = 8


class Drawn:
    """One file as one document for both, and the leaves and keys in it."""

    def __init__(self, file):
        documents = Documents(file)
        self._documents, self._below_loops = documents, set()
        self.leaves, self.asked = {}, set()
        names = [name for name, tree in documents.trees.items() if tree.format == FOUR]
        self.main = documents.main or names[0]
        written, waiting = {}, [self.main]
        while waiting:
            name = waiting.pop()
            tree = documents.tree(name)
            if name not in written and tree is not None:
                written[name] = self._text(tree.root, in_loop=name in self._below_loops)
                waiting += re.findall(r'<SubTree ID="([^"]*)"', written[name])
        trees = "\n".join(
            f"<BehaviorTree ID={quoteattr(name)}>{text}</BehaviorTree>"
            for name, text in written.items()
        )
        head = f'<root BTCPP_format="4" main_tree_to_execute={quoteattr(self.main)}>'
        self.text = f"{head}\n{trees}\n</root>"
        stubs = stubs_of(self.text)
        self.state, self.keys = stubs.state, sorted(stubs.state.__schema__.fluents)
        self.words = sorted(set(re.findall(r"(?:&apos;|')(\w*)(?:&apos;|')", trees))) or ["x"]

    def _text(self, element, *, in_loop, asked=False):
        tag = element.attributes.get("ID", "") if element.tag in CATEGORIES else element.tag
        attributes = dict(element.attributes)
        is_tree = tag == "SubTree" and self._documents.tree(attributes.get("ID", "")) is not None
        if is_tree:
            if in_loop:
                self._below_loops.add(attributes["ID"])
            attributes = {"ID": attributes.pop("ID"), **attributes}
        elif tag in CPP_NODES and tag not in TIMED:
            attributes.pop("ID", None)
        else:
            if tag in REFUSED:
                raise ValueError(f"{tag} is refused")
            named = attributes.get("ID", "") if tag == "SubTree" else ""
            own = re.sub(r"\W", "_", f"X{tag}{named}")
            attributes = {name: text for name, text in attributes.items() if name[0] == "_"}
            tag = "Sequence" if element.children else f"{own}C" if asked else own
            if not element.children:
                self.leaves[tag] = self.leaves.get(tag, False) or in_loop
        kept = {name: text for name, text in attributes.items() if name != "name"}
        inside = "".join(
            self._text(
                child,
                in_loop=in_loop or tag in LOOPS,
                asked=tag in ("IfThenElse", "WhileDoElse") and not place,
            )
            for place, child in enumerate(element.children)
        )
        shown = "".join(f" {name}={quoteattr(text)}" for name, text in kept.items())
        return f"<{tag}{shown}>{inside}</{tag}>"


class Outcomes:
    """The random outcomes of the leaves of one side: those of the other if both do the same."""

    def __init__(self, leaves):
        self.leaves, self.log, self.random = leaves, [], {}

    def begin(self, seed):
        self.random = {name: Random(f"{seed} {name}") for name in self.leaves}  # noqa: S311 - dice

    def outcome(self, name, event):
        is_first = event == "start"
        running = name[-1] != "C" and (
            self.leaves[name] if is_first else self.random[name].random() < 0.2
        )
        if is_first:
            running = running or (name[-1] != "C" and self.random[name].random() < 0.3)
        letter = "R" if running else self.random[name].choice("SSF")
        self.log.append(f"{event} {name} {letter}")
        return letter


class Leaf(Behaviour):
    def __init__(self, name, kind, outcomes):
        super().__init__(name)
        self.kind, self.outcomes, self.is_new = kind, outcomes, True

    def initialise(self):
        self.is_new = True

    def update(self):
        event, self.is_new = "start" if self.is_new else "tick", False
        return STATUSES[self.outcomes.outcome(self.kind, event)]

    def terminate(self, new_status):
        if new_status is Status.INVALID and self.status is Status.RUNNING:
            self.outcomes.log.append(f"abort {self.kind}")


class Here:
    """The tree as it is read here."""

    def __init__(self, drawn):
        self.outcomes = Outcomes(drawn.leaves)
        self.agent = stubs_of(drawn.text).agent()
        self.keys = type(self.agent.beliefs.now).__schema__.fluents
        nodes = {name: self._maker(name) for name in drawn.leaves}
        self.root = tree_from_xml(drawn.text, self.agent, nodes=nodes)

    def _maker(self, kind):
        return lambda name: Leaf(name, kind, self.outcomes)

    def set(self, key, value):
        self.agent.believe(self.keys[key], value)

    def tick(self):
        self.root.tick_once()
        return LETTERS[self.root.status.name]

    def halt(self):
        self.root.stop(Status.INVALID)


class There:
    """The tree in BehaviorTree.CPP."""

    def __init__(self, drawn):
        self.outcomes = Outcomes(drawn.leaves)
        factory, self.board = engine.BehaviorTreeFactory(), engine.Blackboard.create()
        for name in drawn.leaves:
            self._register(factory, name)
        factory.register_behavior_tree_from_text(drawn.text)
        self._factory, self._main = factory, drawn.main
        self.tree = None

    def _register(self, factory, name):
        def begin(_):
            return ENGINES[self.outcomes.outcome(name, "start")]

        def run(_):
            return ENGINES[self.outcomes.outcome(name, "tick")]

        if name[-1] == "C":
            factory.register_simple_condition(name, begin)
        else:
            log = self.outcomes.log
            factory.register_simple_stateful_action(
                name, begin, run, lambda _: log.append(f"abort {name}")
            )

    def set(self, key, value):
        kind = "string" if isinstance(value, str) else "int"
        getattr(self.board, f"set_{kind}")(key, value)

    def tick(self):
        self.tree = self.tree or self._factory.create_tree(self._main, self.board)
        return LETTERS[self.tree.tick_once().name]

    def halt(self):
        self.tree.halt_tree()


def compared(file, runs, seed):
    """What differs first in so many runs, "" if nothing does; raises what either side raises."""
    drawn = Drawn(file)
    here, there = Here(drawn), There(drawn)
    pattern = r"\b{}\s*[!=:]=\s*(&apos;|')"
    texts = {key for key in drawn.keys if re.search(pattern.format(re.escape(key)), drawn.text)}
    # When fewer cycles are left than were run, the engine forgets the child that is running.
    counts = set(re.findall(r'(?:num_\w+|\w+_count)="\{(\w+)\}"', drawn.text))
    changing = [key for key in drawn.keys if key not in counts]
    for number in range(runs):
        random = Random(f"{seed} {number}")  # noqa: S311 - dice
        for side in (here, there):
            side.outcomes.begin(number)
        for moment in range(MOMENTS):
            changed = random.sample(changing, min(1, len(changing))) if moment else drawn.keys
            for key in changed:
                value = random.choice(drawn.words) if key in texts else random.choice((0, 1, 2))
                here.set(key, value)
                there.set(key, value)
            ends = [side.tick() for side in (there, here)]
            events = [[*side.outcomes.log] for side in (there, here)]
            here.outcomes.log.clear()
            there.outcomes.log.clear()
            if ends[0] != ends[1] or events[0] != events[1]:
                sides = [f"{end} {event}" for end, event in zip(ends, events, strict=True)]
                return f"tick {moment} of run {number}: there {sides[0]}, here {sides[1]}"
        there.halt()
        here.halt()
        if here.outcomes.log != there.outcomes.log:
            sides = there.outcomes.log, here.outcomes.log
            return f"halt of run {number}: there {sides[0]}, here {sides[1]}"
        here.outcomes.log.clear()
        there.outcomes.log.clear()
    return ""


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.properties.public_trees")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    files = [path for path in sorted(given.folder.rglob("*.xml")) if path.is_file()]
    Random(given.seed).shuffle(files)  # noqa: S311 - dice
    seen, same, repositories, texts = Counter(), 0, set(), set()
    for file in files:
        if seen["compared"] == given.files:
            break
        try:
            text = Drawn(file).text
            if text in texts or "<" not in text:
                continue
            texts.add(text)
            difference = compared(file, given.runs, given.seed)
        except (BthtnError, ValueError, IndexError, RecursionError):
            seen["no tree of format 4 that is read"] += 1
            continue
        except Exception as error:  # noqa: BLE001 - the engine's
            seen[f"the engine refuses: {re.sub(r'[^a-zA-Z ]+', ' ', str(error))[:60]}"] += 1
            continue
        seen["compared"] += 1
        same += not difference
        repositories.add(file.relative_to(given.folder).parts[0])
        if difference:
            say(f"{file.relative_to(given.folder)}: {difference[:600]}")
    total = f"{seen['compared']} trees of {len(repositories)} repositories"
    say(f"{same} of {total}: {given.runs} runs are the same")
    for what, count in seen.most_common():
        say(f"{count:6} {what}")
    return int(same < seen["compared"])


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
