"""YAML as it is written: read again it is the same, by us and by PyYAML."""

import numpy as np
import pytest

from supple.files.nodes import Node
from supple.files.yaml_reader import read_yaml
from supple.files.yaml_writer import number, to_yaml

yaml = pytest.importorskip("yaml")

DATA = {
    "plain": "word",
    "words": ["two words", "yes", "No", "null", "1.5", "1e5", "", " x", "x ", "a: b", "# no", "é", "a\nb", '"', "- x"],
    "unseen": ["\x7f", "\x85", "a\u2028b\u2029c", "\ufeff"],
    "key with: colon": {"on": 1, "12": 2, "": 3},
    "numbers": [1, -2, 0.1, 1e-300, 1e22, -0.0, 5e-324, 1.7976931348623157e308],
    "truth": [True, False, None],
    "empty": [[], {}, [[]], {"a": {}}],
    "deep": [{"a": [{"b": [1, [2, {"c": 3}]]}]}, [[1, 2], [3, [4, 5]]]],
    "long": np.linspace(0.0, 1.0, 40).tolist(),
    "rows": [[float(i), i / 3.0] for i in range(40)],
}


def plain(node: Node):
    if isinstance(node.value, dict):
        return {key: plain(entry) for key, entry in node.value.items()}
    return [plain(entry) for entry in node.value] if isinstance(node.value, list) else node.value


def test_keys_longer_than_those_that_stand_before_colons_are_read_again():
    data = {"x": [{"k" * 5000: {"a: b" * 700: [{"c": 1}]}, "b": 2}], "y" * 2000: {"z" * 2000: {"a": {"b": [1, {}]}}}}
    text = to_yaml(data)
    assert plain(read_yaml(text, "x")) == data
    assert yaml.safe_load(text) == data


def test_what_is_written_is_read_again():
    text = to_yaml(DATA)
    assert plain(read_yaml(text, "x")) == DATA
    assert yaml.safe_load(text) == DATA
    assert max(map(len, text.splitlines())) < 130


@pytest.mark.parametrize("seed", range(20))
def test_random_data_are_read_again(seed):
    rng = np.random.default_rng(seed)

    def some(depth):
        kind = rng.integers(7 if depth < 5 else 4)
        if kind == 0:
            return float(rng.standard_normal() * 10.0 ** rng.integers(-300, 300))
        if kind == 1:
            return int(rng.integers(-1000, 1000))
        if kind == 2:
            return "".join(rng.choice(list("ab :#-{}[]\"'\n\\éyn1.,&*!|>%@`~"), rng.integers(0, 8)))
        if kind == 3:
            return [None, True, False][rng.integers(3)]
        if kind < 6:
            return [some(depth + 1) for _ in range(rng.integers(0, 6))]
        return {str(some(9)): some(depth + 1) for _ in range(rng.integers(0, 6))}

    data = {"x": some(0), "y": some(0)}
    text = to_yaml(data)
    assert plain(read_yaml(text, "x")) == data
    assert yaml.safe_load(text) == data


def test_numbers_have_a_point():
    assert [number(x) for x in (1.0, 1e-5, 1e22, 0.1)] == ["1.0", "1.0e-05", "1.0e+22", "0.1"]
