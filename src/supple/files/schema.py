"""JSON Schema of model files, for editors that complete and check as one writes."""

from __future__ import annotations

from typing import Any

from supple.files.couplings import COUPLING_KEYS
from supple.files.decoding import FRAME_KEYS, KEYS, LINK_KEYS
from supple.files.kinds import BY_LINK, SAME, fields_of, kinds, required
from supple.files.migrations import FORMAT

#: Where the schema is published.
ADDRESS = "https://supple.readthedocs.io/model-file.schema.json"

_EXPRESSION = {"type": "string", "pattern": r"^\$\{.*\}$"}
_NUMBER = {"anyOf": [{"type": "number"}, _EXPRESSION]}
_NUMBERS = {"anyOf": [*_NUMBER["anyOf"], {"type": "array"}]}

#: Fields with the same meaning wherever they stand.
_COMMON: dict[str, Any] = {
    "name": {"type": "string"},
    "link": {"type": "string"},
    "axis": {"anyOf": [{"enum": ["x", "y", "z", "-x", "-y", "-z"]}, {"type": "array"}, _EXPRESSION]},
    "offset": {"$ref": "#/$defs/pose"},
    "tip": {"anyOf": [{"$ref": "#/$defs/pose"}, {"type": "array"}]},  # of soft bodies three points
    "pose": {"$ref": "#/$defs/pose"},
    "mass": _NUMBER,
    "length": _NUMBER,
    "density": _NUMBER,
    "points": {"anyOf": [{"type": "integer"}, {"type": "array"}, _EXPRESSION]},
}

_COUPLING: dict[str, Any] = {
    "follower": {"type": "string"},
    "to": {"type": ["string", "array", "object"]},
    "offset": _NUMBER,
    "program": {"type": "array", "items": {"type": "array"}},
}
assert set(_COUPLING) == set(COUPLING_KEYS)


def json_schema() -> dict[str, Any]:
    """The schema, as plain data."""
    defs: dict[str, Any] = {name: _kind(name) for name in sorted(kinds())}
    defs["object"] = {
        "anyOf": [{"enum": sorted(kinds())}, *({"$ref": f"#/$defs/{name}"} for name in sorted(kinds()))]
    }
    defs["pose"] = {
        "type": "object",
        "properties": {"xyz": _NUMBERS, "rpy": _NUMBERS, "rotation": _NUMBERS},
        "additionalProperties": False,
    }
    defs["include"] = _mapping(
        {
            "file": {"type": "string"},
            "to": {"type": ["string", "array"]},
            "at": {"$ref": "#/$defs/pose"},
            "prefix": {"type": "string"},
            "parameters": {"type": "object", "additionalProperties": _NUMBERS},
            "base": {"enum": ["fixed", "free"]},
            "packages": {"type": "object"},
        },
        ["file"],
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ADDRESS,
        "title": f"Model file of supple, format {FORMAT}",
        **_mapping(_document(), ["supple"]),
        "$defs": defs,
    }


def _document() -> dict[str, Any]:
    """Properties of a whole file."""
    anything: dict[str, Any] = {"$ref": "#/$defs/object"}
    place = {"type": ["string", "array"]}
    links = {"name": {"type": "string"}, "parent": place, "at": {"$ref": "#/$defs/pose"}, "joint": anything}
    links |= {"body": anything, "facts": {"type": "object"}}
    frames = {"name": {"type": "string"}, "link": place, "at": {"$ref": "#/$defs/pose"}}
    assert set(links) == set(LINK_KEYS) and set(frames) == set(FRAME_KEYS)  # noqa: PT018
    properties = {
        "supple": {"type": "integer", "minimum": 1, "maximum": FORMAT, "description": "Number of the format."},
        "units": {"const": "SI", "description": "Metres, kilograms, seconds, radians."},
        "name": {"type": "string"},
        "gravity": {"description": "m/s^2", **_NUMBERS},
        "massless": {"enum": ["refuse", "allow"]},
        "parameters": {"type": "object", "additionalProperties": _NUMBERS},
        "include": {"type": "array", "items": {"$ref": "#/$defs/include"}},
        "links": {"type": "array", "items": _mapping(links, ["name", "body"])},
        "frames": {"type": "array", "items": _mapping(frames, ["name", "link"])},
        "couplings": {"type": "array", "items": _mapping(_COUPLING, ["follower", "to"])},
        "loads": {"type": "array", "items": anything},
        "attach": {"type": "array", "items": {"$ref": "#/$defs/include"}},
    }
    assert set(properties) == set(KEYS)
    return properties


def _kind(name: str) -> dict[str, Any]:
    """An object of one kind: a mapping of its name to its fields."""
    properties = {}
    for field in fields_of(name):
        by_link = field in BY_LINK.get(name, ())
        free: dict[str, Any] = {} if by_link or SAME.get(name, ("",))[0] == field else dict(_COMMON.get(field, {}))
        properties[field] = free
    inner = _mapping(properties, list(required(name)))
    words = (kinds()[name].__doc__ or "").strip().partition("\n")[0]
    return {"description": words, **_mapping({name: inner}, [name])}


def _mapping(properties: dict[str, Any], needed: list[str]) -> dict[str, Any]:
    data = {"type": "object", "properties": properties, "additionalProperties": False}
    return data | {"required": needed} if needed else data


if __name__ == "__main__":
    import json

    print(json.dumps(json_schema(), indent=1))
