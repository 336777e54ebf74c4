"""Motions as files that open without supple."""

import base64
import gzip
import json
import re

import numpy as np
import pytest
from gltf_reader import Glb

import supple as sp


def parts_of(page):
    setup = re.search(r'<script id="setup"[^>]*>(.*?)</script>', page, re.S).group(1)
    packed = re.search(r'<script id="glb"[^>]*>(.*?)</script>', page, re.S).group(1)
    return json.loads(setup), Glb(gzip.decompress(base64.b64decode(packed)))


def test_a_page_holds_the_motion_and_needs_nothing_else(motion, tmp_path):
    path = motion.export(tmp_path / "motion.html", fps=20.0)
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"https?://|src=|@import|url\(", page)  # nothing is fetched from anywhere
    assert not re.search(r"__[A-Z]+__", page)
    assert "<title>test arm</title>" in page
    setup, glb = parts_of(page)
    assert len(glb.document["animations"][0]["channels"]) > 10
    assert setup["start"] == 0.0
    assert np.linalg.norm(np.subtract(setup["eye"], setup["middle"])) > 0.3
    low = min(points[:, 1].min() for points in glb.posed(0.0)[0].values())
    assert setup["ground"] <= low + 1e-6


def test_titles_cannot_break_the_page(motion, tmp_path):
    page = motion.export(tmp_path / "a.html", title="</script><script>alert(1)</script>").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;/script&gt;" in page


def test_a_slow_film_lasts_longer(motion, tmp_path):
    ends = []
    motion.export(tmp_path / "motion.html", fps=np.float32(20.0), speed=np.float32(0.5))
    for speed in (1.0, 0.25):
        glb = Glb(motion.export(tmp_path / "motion.glb", fps=20.0, speed=speed).read_bytes())
        ends.append(glb.read(glb.document["animations"][0]["samplers"][0]["input"])[-1])
    assert ends == pytest.approx([0.3, 1.2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "motion.obj"}, "must end in one of glb, html"),
        ({"path": "motion.glb", "fps": 0.0}, "fps is 0"),
        ({"path": "motion.glb", "speed": -1.0}, "speed is -1"),
        ({"path": "motion.glb", "fps": 1e7}, "lower fps or raise speed"),
        ({"path": 3}, "must be the name of a file"),
    ],
)
def test_what_cannot_be_written_is_refused(motion, tmp_path, options, message):
    path = options["path"]
    given = dict(options, path=tmp_path / path if isinstance(path, str) else path)
    with pytest.raises(sp.PictureError, match=message):
        motion.export(**given)
    assert not list(tmp_path.iterdir())
