"""Robots that went through a file: whether they are the same."""

import numpy as np

import supple as sp


def arrays_of(model):
    """All numbers of a compiled robot, by name."""
    compiled = model.compiled
    found = {f"topology.{key}": value for key, value in compiled.topology._asdict().items()}
    found |= {f"parameters.{key}": value for key, value in compiled.parameters._asdict().items()}
    for i, load in enumerate(compiled.loads):
        names = getattr(load.data, "_fields", range(len(load.data)))
        data = zip(names, load.data, strict=True)
        found |= {f"{load.owner}, {i}, {name}": array for name, array in data if name != "functions"}  # addresses
    for i, bound in enumerate(compiled.maps):
        found |= {f"map {i}, {k}": array for k, array in enumerate(bound.data)}
    if compiled.followers is not None:
        found |= {f"followers.{key}": value for key, value in compiled.followers._asdict().items()}
    return {key: value for key, value in found.items() if isinstance(value, np.ndarray)}


def assert_same(robot, other):
    """Two robots compile to the same bits, names and laws."""
    models = robot.compile(), other.compile()
    mine, theirs = map(arrays_of, models)
    assert list(mine) == list(theirs)
    for key, array in mine.items():
        assert array.dtype == theirs[key].dtype, key
        assert array.tobytes() == theirs[key].tobytes(), key
    for name in ("coordinate_names", "input_names", "state_names", "link_names", "frame_names", "name"):
        assert getattr(models[0], name) == getattr(models[1], name)
    for frame, twin in zip(robot.frames, other.frames, strict=True):
        np.testing.assert_array_equal(frame.at, twin.at)
    assert robot.item_names == other.item_names
    assert [link.facts for link in robot.links] == [link.facts for link in other.links]
    for t in (0.0, 0.7):
        for law, twin in zip(models[0].demand.laws, models[1].demand.laws, strict=True):
            np.testing.assert_array_equal(law(t), twin(t))
        for joint, twin in zip(models[0].prescribed, models[1].prescribed, strict=True):
            if not isinstance(joint.law, sp.laws.Constant.__mro__[1]):
                assert joint.law is twin.law
    assert [type(mark) for mark in models[0].scene.marks] == [type(mark) for mark in models[1].scene.marks]


def again(robot, tmp_path, ending):
    path = tmp_path / f"robot.{ending}"
    functions = robot.save(path)
    return sp.load(path, functions)
