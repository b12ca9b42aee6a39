"""What is written for a small character in each language, and for one with hostile names."""

import re

import pytest

from bthtn.studio.bindings import LANGUAGES, interface_of
from tests.engines_run.hostile import HELLO as HOSTILE

DISTANCE = {"title": "Distance", "enum": ["NEAR", "VERY_FAR"]}
HELLO = {
    "tree": "gate keeper",
    "hash": "0123abcd",
    "agents": [
        {
            "name": "Hal",
            "beliefs": [
                {"name": "range", "type": DISTANCE, "default": "VERY_FAR", "doc": "Of a visitor."},
                {
                    "name": "trust",
                    "type": {"type": "number"},
                    "index": {"type": "string"},
                    "default": 0.5,
                },
            ],
            "tasks": [
                {
                    "name": "walk",
                    "doc": "Go there.",
                    "seconds": 2,
                    "uses": ["legs"],
                    "parameters": [
                        {"name": "to", "type": {"type": "string"}},
                        {"name": "in", "type": {"anyOf": [DISTANCE, {"type": "null"}]}},
                    ],
                }
            ],
        }
    ],
}


def written(language, hello=HELLO):
    return LANGUAGES[language](interface_of(hello))


PINNED = {
    "csharp": """
        public abstract class GateKeeper : Agent
        {
            /// <summary>
            /// range
            /// Of a visitor.
            /// </summary>
            public Distance Range
            {
                get { return Said<Distance>("range", Bthtn.GateKeeper.Distance.VeryFar); }
                set { Tell("range", value, Words.Distance[(int)value]); }
            }

            /// <summary>
            /// trust
            /// </summary>
            public readonly Family<string, double> Trust;

            protected GateKeeper(string agentName = "Hal") : base(agentName)
            {
                Trust = new Family<string, double>(this, "trust", 0.5, one => one, one => one);
            }

            /// <summary>
            /// walk
            /// Go there.
            /// Takes 2 seconds.
            /// Uses legs.
            /// </summary>
            public abstract void OnWalk(Step step, string to, Distance? in_);
    """,
    "cpp": """
        class GateKeeper : public Agent {
         public:
          /// range
          /// Of a visitor.
          Belief<Distance> range{*this, "range", Distance::VeryFar};

          /// trust
          Family<std::string, double> trust{*this, "trust", 0.5};

          explicit GateKeeper(const std::string& agent = "Hal") : Agent(agent) {}

          /// walk
          /// Go there.
          /// Takes 2 seconds.
          /// Uses legs.
          virtual void on_walk(const StepPtr& step, const std::string& to
    """,
    "typescript": """
        export abstract class GateKeeper extends Agent {
          /**
           * range
           * Of a visitor.
           */
          get range(): Distance {
            return this.said("range", Distance.VeryFar);
          }
          set range(value: Distance) {
            this.tell("range", value);
          }

          /**
           * trust
           */
          readonly trust = new Family<string, number>(this, "trust", 0.5);

          constructor(agentName: string = "Hal") {
            super(agentName);
          }

          /**
           * walk
           * Go there.
           * Takes 2 seconds.
           * Uses legs.
           */
          abstract onWalk(step: Step, to: string, in_: Distance | null): void;
    """,
    "gdscript": """
        class GateKeeper:
            extends Agent

            # range
            # Of a visitor.
            var range_: Distance = Distance.VERY_FAR:
                set(value):
                    range_ = value
                    tell("range", WORDS["Distance"][value])

            # trust
            func set_trust(index: String, value: float):
                tell_member("trust", [index], value)

            func get_trust(index: String):
                var value = said("trust", [index], 0.5)
                return float(value)

            func _init():
                agent_name = "Hal"

            # walk
            # Go there.
            # Takes 2 seconds.
            # Uses legs.
            func on_walk(step, _to: String, _in_):
                step.fail("on_walk is not written")
    """,
    "gdscript3": """
            # range
            # Of a visitor.
            var range_: int = Distance.VERY_FAR setget set_range

            func set_range(value: int):
                range_ = value
                tell("range", WORDS["Distance"][value])
    """,
}


def without_margin(text):
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_kind_of_agents_is_a_class_of_beliefs_and_tasks(language):
    assert without_margin(PINNED[language]) in without_margin(written(language))


@pytest.mark.parametrize(
    ("language", "enum"),
    [
        ("csharp", "public enum Distance\n    {\n        Near,\n        VeryFar,\n    }"),
        ("cpp", "enum class Distance { Near, VeryFar };"),
        ("typescript", 'export enum Distance {\n  Near = "NEAR",\n  VeryFar = "VERY_FAR",\n}'),
        (
            "gdscript",
            'enum Distance { NEAR, VERY_FAR }\nconst WORDS := { "Distance": ["NEAR", "VERY_FAR"] }',
        ),
    ],
)
def test_an_enum_is_an_enum(language, enum):
    assert enum in written(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_client_knows_which_version_of_which_tree_it_was_written_for(language):
    assert '"0123abcd"' in written(language)
    assert '"gate keeper"' in written(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_depends_on_nothing_but_the_description(language):
    assert written(language) == written(language)
    assert "${" not in written(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_docs_stay_in_their_comments(language):
    comment = re.compile(r"\s*(///|//|#|\*) ")
    lines = [line for line in written(language, HOSTILE).split("\n") if "evil" in line]
    docs = [line for line in lines if "evil()" not in line and "x_evil" not in line.lower()]
    docs = [line for line in docs if "xevil" not in line.lower()]
    assert len(docs) > 100
    for line in docs:
        assert comment.match(line), line
        assert line.isprintable() or line.replace("\t", "").isprintable()
        assert not line.endswith("\\")
        assert "*/" not in line


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_names_stay_in_their_quotes(language):
    for line in written(language, HOSTILE).split("\n"):
        if "evil()" in line and not line.lstrip().startswith(("/", "#", "*")):
            before = line.partition("evil()")[0]
            quotes = re.sub(r"\\.", "", before).count('"')
            assert quotes % 2 == 1, line


def test_what_two_names_become_is_numbered():
    tasks = [{"name": name, "parameters": []} for name in ("open_gate", "Open Gate")]
    agent = {"name": "Hal", "beliefs": [], "tasks": tasks}
    text = written("csharp", {**HELLO, "agents": [agent]})
    assert 'case "open_gate":\n                    OnOpenGate(step);' in text
    assert 'case "Open Gate":\n                    OnOpenGate2(step);' in text
