"""What an engine sees of a character: its beliefs, and the tasks that the engine does.

``hello`` answers with it (E10, E11 of docs/engine-protocol.md), and bindings are written from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from bthtn.engine.agent.agent import Agent
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.world.expression import Constant, Parameter
from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.relation import Relation
from bthtn.engine.world.value_type import COLLECTIONS, ValueType, value_type_of, values_of
from bthtn.kit.engines.session import EngineSession, as_json, duration, is_done_by_engine

Json = dict[str, Any]
_Declared = Fluent[Any] | FluentFamily[Any, Any]

_NAMES: Final = MappingProxyType({bool: "boolean", int: "integer", float: "number", str: "string"})


def interface(session: EngineSession) -> Json:
    """The agents of a character as the answer to ``hello`` has them, and the hash of that."""
    agents = [_agent(agent) for agent in session.agents.values()]
    text = json.dumps(agents, sort_keys=True)
    return {"hash": sha256(text.encode()).hexdigest()[:16], "agents": agents}


def _agent(agent: Agent[Any, Any]) -> Json:
    schema = agent.domain.schema
    tasks = {name: task for domain in agent.domains for name, task in domain.tasks.items()}
    declared: dict[str, _Declared] = {**schema.fluents, **schema.families}
    return {
        "name": agent.name,
        "beliefs": [
            _belief(name, fluent)
            for name, fluent in declared.items()
            if not isinstance(fluent, Relation)
        ],
        "tasks": [
            _task(task)
            for task in tasks.values()
            if isinstance(task, PrimitiveTask) and is_done_by_engine(agent, task)
        ],
    }


def _belief(name: str, declared: _Declared) -> Json:
    fluent = declared.prototype if isinstance(declared, FluentFamily) else declared
    belief = {"name": name, "type": json_schema(fluent.values)}
    if isinstance(declared, FluentFamily):
        belief["index"] = json_schema(declared.indices)
    return belief | {"default": as_json(fluent.default)}


def _task(task: PrimitiveTask[...]) -> Json:
    told: Json = {"name": task.name, "parameters": list(map(_parameter, task.parameters))}
    if isinstance(task.duration, Constant):
        told |= duration(task, task.duration.value)
    if task.uses:
        told["uses"] = sorted(task.uses)
    return told | ({"doc": task.doc} if task.doc else {})


def _parameter(parameter: Parameter[Any]) -> Json:
    known = None if parameter.annotation is None else value_type_of(parameter.annotation)
    return {"name": parameter.name, "type": json_schema(known or values_of(parameter))}


def json_schema(values: ValueType) -> Json:
    """The type of some values, as they are written in JSON, as a JSON Schema."""
    shown = _schema_of(values)
    return {"anyOf": [shown, {"type": "null"}]} if values.is_optional else shown


def _schema_of(values: ValueType) -> Json:
    if values.listed:
        return {"enum": list(map(as_json, values.listed))}
    if values.parts:
        parts, length = list(map(json_schema, values.parts)), len(values.parts)
        return {"type": "array", "prefixItems": parts, "minItems": length, "maxItems": length}
    kinds = list(_schemas_of_kinds(values))
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def _schemas_of_kinds(values: ValueType) -> Iterator[Json]:
    for kind in values.kinds:
        if issubclass(kind, Enum):
            yield {"title": kind.__name__, "enum": [member.name for member in kind]}
        elif kind in COLLECTIONS:
            items = {} if values.items is None else {"items": json_schema(values.items)}
            yield {"type": "array", **items}
        else:
            yield {"type": _NAMES[kind]} if kind in _NAMES else {}
