"""The campaign of hostile arguments, bounded, and that it notices what it is there for."""

import numpy as np
import pytest

from . import arguments
from .argument_values import Value, hostile, kindred
from .report import Report


def test_every_public_name_is_tried():
    assert arguments.uncovered() == []


@pytest.mark.slow
def test_hostile_arguments():
    report = arguments.campaign(400, 0)
    assert report.tried == 400
    assert report.ok, str(report)


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
def test_good_arguments_are_good():
    """The calls that hostile values are put into are right by themselves; a few of them."""
    from .argument_calls import all_calls

    for call in [call for call in all_calls() if not call.slow][::23]:
        found = call.use(call.function(**call.arguments))
        assert all(np.isfinite(x).all() for _, x in arguments.numbers(found)), call.name


class Staged(arguments.Caller):
    """One call with one value."""

    def __init__(self, function, value):
        from .call import Call

        self.call, self.value, self.good = Call("staged", function, {"x": np.ones(2)}), value, {}

    def plan(self, seed):
        return self.call, {"x": self.value}


def raw(x):
    return np.asarray(x, dtype=float).shape[7]


@pytest.mark.parametrize(
    ("function", "value", "kind", "text"),
    [
        (raw, Value("zero", np.zeros(2)), "failed", "raw IndexError"),
        (lambda x: np.asarray(x) * np.nan, Value("one", np.ones(2)), "failed", "not finite"),
        (lambda x: np.asarray(x).real.astype(float), Value("list", [1.0, 2.0], True), "failed", "another result"),
        (lambda x: np.asarray(x), Value("list", [1.0, 1.0], True), "fine", ""),
        (lambda x: np.array(x, dtype=complex).astype(float), Value("complex", np.ones(2)), "failed", "ComplexWarning"),
    ],
)
def test_what_counts_as_a_failure(function, value, kind, text):
    staged = Staged(function, value)
    staged.good["staged"] = [("result", np.ones(2))]
    outcome = staged.run(0)
    assert outcome.kind == kind
    assert text in outcome.text


def test_values_are_what_they_say():
    assert len(hostile()) > 100
    good = np.arange(1.0, 4.0)
    for value in kindred(good):
        if value.same:
            np.testing.assert_allclose(np.asarray(value.value, dtype=float), good, rtol=value.digits)


@pytest.mark.parametrize(
    ("fault", "words"), [("ctypes.string_at(0)", "ended with -11"), ("time.sleep(1e6)", "took longer than")]
)
def test_crashes_and_hangs_are_failures_of_one_seed(fault, words, monkeypatch, tmp_path):
    """A process of its own stands in for the calls; the seed in the middle goes wrong."""
    script = tmp_path / "calls.py"
    script.write_text(
        "import sys, json, ctypes, time, faulthandler\n"
        "faulthandler.enable()\n"
        "for seed in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):\n"
        "    print(json.dumps({'begin': seed, 'what': 'call'}), flush=True)\n"
        f"    if seed == 1: {fault}\n"
        "    print(json.dumps({'end': seed, 'kind': 'fine', 'text': ''}), flush=True)\n"
    )
    monkeypatch.setattr(arguments, "COMMAND", (str(script),))
    monkeypatch.setattr(arguments, "LIMIT", 5.0)
    report = arguments.campaign(4, 0)
    assert isinstance(report, Report)
    assert (report.tried, report.failed) == (4, 1)
    assert report.failures[0][0] == 1
    assert words in report.failures[0][1]
