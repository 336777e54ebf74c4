"""Model files as pydantic models: files written in typed Python, checked as they are built.

    from supple.files import models as m

    rod = m.Rod(length=0.2, section=m.Circle(radius=0.01), material="Ecoflex 00-50", strain=m.Legendre(bend_y=2))
    m.ModelFile(name="finger", links=[m.Link(name="rod", body=rod)]).save("finger.yaml")

The models are made from the JSON Schema of the format (`supple.files.schema`), so that there is one schema alone; one
model for every kind, by its name, and `ModelFile`, `Link`, `Frame`, `Coupling`, `Include`, `Pose`.  They know what a
schema knows: names, required fields, plain types.  What numbers mean is checked by those who read the file, `sp.load`,
which needs no pydantic: a Rod of negative length is a fine text, and a wrong robot.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ForwardRef, Literal, Union, get_args

import numpy as np

from supple.checks import file_path
from supple.errors import FileError, MissingExtraError, StorageError
from supple.files.migrations import FORMAT
from supple.files.schema import json_schema
from supple.files.yaml_writer import to_yaml
from supple.storage import replacing

try:
    import pydantic
except ImportError:
    raise MissingExtraError(
        'models of model files are made by pydantic, which is not installed: pip install "supple[models]"'
    ) from None

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Parts of a file that are lists of mappings, and the names of their models.
PARTS = {"links": "Link", "frames": "Frame", "couplings": "Coupling"}


def _listed(value: Any) -> Any:
    """Tuples and arrays of NumPy as lists, also inside of lists and mappings."""
    value = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    if isinstance(value, dict):
        return {key: _listed(entry) for key, entry in value.items()}
    return [_listed(entry) for entry in value] if isinstance(value, (tuple, list)) else value


_PLAIN = {
    "string": pydantic.StrictStr,
    "number": float,
    "integer": pydantic.StrictInt,
    "object": dict,
    "array": Annotated[list[Any], pydantic.BeforeValidator(_listed)],
}
_STRICT = pydantic.ConfigDict(extra="forbid", strict=True, validate_assignment=True)


class Part(pydantic.BaseModel):
    """A mapping of a file."""

    model_config = _STRICT

    def plain(self) -> Any:
        """As plain data, without what was not given."""
        return self.model_dump(exclude_unset=True, by_alias=True)


class Kind(Part):
    """An object of one kind, ``{Circle: {radius: 0.01}}``."""

    @pydantic.model_validator(mode="before")
    @classmethod
    def _unwrapped(cls, given: Any) -> Any:
        if given == cls.__name__:
            return {}
        if isinstance(given, dict) and set(given) == {cls.__name__}:
            return {} if given[cls.__name__] is None else given[cls.__name__]
        return given

    @pydantic.model_serializer(mode="wrap")
    def _wrapped(self, inner: Any) -> Any:
        data = {name: value for name, value in inner(self).items() if name in self.model_fields_set}
        return {type(self).__name__: data} if data else type(self).__name__


class File(Part):
    """A whole model file."""

    def text(self, ending: str = ".yaml") -> str:
        """What `save` writes."""
        data = {"supple": FORMAT, "units": "SI"} | self.plain()
        return to_yaml(data) if ending != ".json" else json.dumps(data, indent=1, ensure_ascii=False) + "\n"

    def save(self, path: Any) -> None:
        """Write it, as YAML or JSON; `sp.load` reads it."""
        target = file_path(path, "save: path", StorageError)
        if target.suffix.lower() not in (".yaml", ".yml", ".json"):
            raise StorageError(f"{target}: model files end in .yaml, .yml, .json")
        with replacing(target) as file:
            file.write_text(self.text(target.suffix.lower()), encoding="utf-8")

    @classmethod
    def read(cls, path: Any) -> File:
        """The model of a file, of any format that this supple reads."""
        from supple.files.decoding import raw
        from supple.files.model_files import root_node

        file = file_path(path, "read: path", FileError)
        try:
            return cls.model_validate(raw(root_node(file)))
        except pydantic.ValidationError as error:
            raise FileError(f"{file}: {error}") from error


# ---------------------------------------------------------------------- models of a schema


@cache
def all_models() -> dict[str, type[Part]]:
    """Models by name."""
    schema = json_schema()
    made: dict[str, Any] = {}
    names = [name for name, entry in schema["$defs"].items() if name in entry.get("properties", ())]
    for name in names:
        entry = schema["$defs"][name]
        made[name] = _model(name, entry["properties"][name], Kind, entry["description"])
    for name in ("pose", "include"):
        made[name.capitalize()] = _model(name.capitalize(), schema["$defs"][name], Part)
    for key, name in PARTS.items():
        made[name] = _model(name, schema["properties"][key]["items"], Part)
    document = {key: value for key, value in schema["properties"].items() if key not in PARTS}
    parts = {key: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}} for key, name in PARTS.items()}
    made["ModelFile"] = _model("ModelFile", schema | {"properties": document | parts, "required": []}, File)
    space = made | {"object": _any_kind(names, made), "pose": made["Pose"], "include": made["Include"]}
    for model in (made[name] for name in made):
        model.model_rebuild(_types_namespace={f"_{name}": value for name, value in space.items()})
    return made


def _model(name: str, schema: Mapping[str, Any], base: type[Part], words: str = "") -> type[Part]:
    """The model of a mapping with known keys."""
    needed, fields = schema.get("required", ()), {}
    for key, entry in schema["properties"].items():
        wanted = _type(entry)
        note = entry.get("description")
        fields[key] = (wanted, pydantic.Field(description=note)) if key in needed else (
            wanted, pydantic.Field(default=None, description=note, validate_default=False)
        )  # fmt: skip
    return pydantic.create_model(name, __base__=base, __doc__=words or base.__doc__, __module__=__name__, **fields)  # type: ignore[call-overload,no-any-return]


def _type(schema: Mapping[str, Any]) -> Any:
    """The type of what a schema admits."""
    if "$ref" in schema:
        return ForwardRef(f"_{schema['$ref'].rpartition('/')[2]}")
    if "anyOf" in schema:
        return Union[tuple(_type(entry) for entry in schema["anyOf"])]  # noqa: UP007  # of forward references
    if "enum" in schema or "const" in schema:
        return Literal[tuple(schema.get("enum", [schema.get("const")]))]
    kind = schema.get("type")
    if isinstance(kind, list):
        return Union[tuple(_type({"type": one}) for one in kind)]  # noqa: UP007
    if kind is None:
        return Annotated[Any, pydantic.BeforeValidator(_listed)]
    if kind == "array" and "items" in schema:
        return list[_type(schema["items"])]  # type: ignore[misc]
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return dict[str, _type(schema["additionalProperties"])]  # type: ignore[misc]
    bounds = {"ge": schema.get("minimum"), "le": schema.get("maximum"), "pattern": schema.get("pattern")}
    given = {key: value for key, value in bounds.items() if value is not None}
    plain: Any = _PLAIN[kind]
    return Annotated[plain, pydantic.Field(**given)] if given else plain


def _any_kind(names: list[str], made: Mapping[str, Any]) -> Any:
    """An object of any kind: told apart by their names."""

    def kind_of(value: Any) -> str | None:
        found = next(iter(value), None) if isinstance(value, dict) and len(value) == 1 else value
        if isinstance(value, Kind):
            found = type(value).__name__
        return found if isinstance(found, str) and found in made else None

    tagged = [Annotated[made[kind], pydantic.Tag(kind)] for kind in names]
    return Annotated[Union[tuple(tagged)], pydantic.Discriminator(kind_of)]  # noqa: UP007


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name not in all_models():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return all_models()[name]


def __dir__() -> list[str]:
    return sorted([*globals(), *all_models()])


# ---------------------------------------------------------------------- for editors


def stub() -> Iterator[str]:
    """Lines of models.pyi, by which editors complete and type checkers check what this module makes when it runs."""
    yield '"""Made by ``python -m supple.files.models > src/supple/files/models.pyi``: the models, for editors."""'
    yield "from typing import Any, Literal\n\nimport pydantic\n"
    yield "PARTS: dict[str, str]\n\ndef all_models() -> dict[str, type[Part]]: ...\ndef stub() -> Any: ...\n"
    yield "class Part(pydantic.BaseModel):\n    def plain(self) -> Any: ...\n"
    yield "class Kind(Part): ...\n"
    yield "class File(Part):\n    def text(self, ending: str = ...) -> str: ..."
    yield "    def save(self, path: Any) -> None: ..."
    yield "    @classmethod\n    def read(cls, path: Any) -> ModelFile: ...\n"
    for name, model in all_models().items():
        yield f"class {name}({model.__mro__[1].__name__}):"
        fields = model.model_fields.items()
        for key, field in sorted(fields, key=lambda item: not item[1].is_required()):
            yield f"    {key}: {_written(field.annotation)}{'' if field.is_required() else ' = ...'}"
        if not fields:
            yield "    ..."
        yield ""


def _written(wanted: Any) -> str:
    """A type as stubs write it."""
    wanted = get_args(wanted)[0] if getattr(wanted, "__metadata__", None) else wanted
    arguments = get_args(wanted)
    if str(wanted).startswith("typing.Literal"):
        return f"Literal[{', '.join(map(repr, arguments))}]" if len(arguments) < 10 else "str"
    if arguments and str(wanted).startswith(("list", "dict")):
        inner = ", ".join(_written(one) for one in arguments)
        return f"{wanted.__origin__.__name__}[{inner}]"
    if arguments:
        kinds = [one for one in arguments if Kind in getattr(get_args(one)[0] if get_args(one) else one, "__mro__", ())]
        others = dict.fromkeys(_written(one) for one in arguments if one not in kinds)
        return " | ".join([*others, *(["Kind", "str"] if kinds else [])])
    if wanted is Any:
        return "Any"
    return {"dict": "dict[str, Any]", "list": "list[Any]"}.get(wanted.__name__, wanted.__name__)


if __name__ == "__main__":
    print("\n".join(stub()).rstrip())
