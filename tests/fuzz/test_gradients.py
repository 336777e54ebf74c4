"""The campaign of derivatives of motions, bounded."""

import pytest

from . import CAMPAIGNS, gradients


def test_motions_of_random_robots_have_derivatives():
    report = gradients.campaign(12, 0)
    assert report.ok, str(report)
    assert report.refused <= 6


@pytest.mark.slow
def test_motions_of_more_random_robots_have_derivatives():
    report = gradients.campaign(100, 100)
    assert report.ok, str(report)


def test_the_command_knows_it():
    assert "gradients" in CAMPAIGNS
