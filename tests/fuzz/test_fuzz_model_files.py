"""The campaign of mutated model files, bounded, and that it notices what it is there for."""

import numpy as np
import pytest

from . import CAMPAIGNS, model_files


def test_mutated_files_load_or_are_refused():
    report = model_files.campaign(400, 0)
    assert report.ok, str(report)
    assert 100 < report.refused < 390


@pytest.mark.slow
def test_more_mutated_files_load_or_are_refused():
    report = model_files.campaign(3000, 10_000)
    assert report.ok, str(report)


def test_a_message_without_a_line_is_noticed(tmp_path):
    path = tmp_path / "a.yaml"
    model_files.check_message(f"{path}, line 3, links: wrong", path)
    for message in ("line 3: wrong", f"{path}: wrong", f"{path}, line 3: {'x' * 3000}"):
        with pytest.raises(AssertionError):
            model_files.check_message(message, path)


def test_mutations_change_texts():
    rng = np.random.default_rng(0)
    changed = sum(model_files.mutated(rng, model_files.BY_HAND) != model_files.BY_HAND for _ in range(100))
    assert changed > 90


def test_the_command_knows_it():
    assert "model_files" in CAMPAIGNS
