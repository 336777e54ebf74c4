"""Animations: frames at even times, files that can be read, remedies."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

import supple as sp
from supple.viz import video_files
from supple.viz.motion import states_at


def test_a_gif_can_be_read_and_moves(motion, tmp_path):
    done = []
    path = motion.animate(tmp_path / "motion.gif", fps=20, progress=done.append, size=(2.0, 1.5), dpi=60)
    assert path == tmp_path / "motion.gif"
    with Image.open(path) as picture:
        assert picture.n_frames == 7  # 0.3 s at 20 frames per second, both ends
        assert picture.size == (120, 90)
        assert picture.info["loop"] == 0
        first = np.asarray(picture.convert("RGB"))
        picture.seek(6)
        assert np.any(first != np.asarray(picture.convert("RGB")))
        assert first[0, 0].tolist() == [255, 255, 255]
    assert_allclose(done, np.arange(1, 8) / 7)
    assert path.stat().st_size < 100_000


def test_slow_motion_has_more_frames(motion, tmp_path):
    path = motion.animate(tmp_path / "slow.gif", fps=10, speed=0.5, size=(1.5, 1.0), dpi=40)
    with Image.open(path) as picture:
        assert picture.n_frames == 7
        total = sum(_duration(picture, k) for k in range(picture.n_frames))
    assert total == pytest.approx(700, abs=10)


def _duration(picture, k):
    picture.seek(k)
    return picture.info["duration"]


def test_a_video_is_written(motion, tmp_path):
    path = motion.animate(tmp_path / "motion.mp4", fps=10, size=(2.0, 1.5), dpi=60)
    assert path.read_bytes()[4:8] == b"ftyp"


def test_an_unknown_ending_is_refused(motion, tmp_path):
    with pytest.raises(sp.PictureError, match=r"'motion.avi': its name must end in one of gif, mp4"):
        motion.animate(tmp_path / "motion.avi")


def test_without_ffmpeg_the_remedy_is_named(motion, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(video_files.shutil, "which", lambda name: None)
    with pytest.raises(sp.MissingExtraError, match=r'pip install "supple\[viz\]" brings it; or write a .gif'):
        motion.animate(tmp_path / "motion.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("long.gif", {"fps": 1e6}, "make 300001 frames of 0.3 s, more than a .gif should hold"),
        ("long.mp4", {"speed": 1e-300}, "frames of 0.3 s, more than a .mp4 should hold"),
        ("a.gif", {"fps": "fast"}, "animate: fps is 'fast'"),
        ("a.gif", {"progress": 3}, "animate: progress is 3"),
        ("a.gif", {"show": True}, "animate: show=True is for pictures"),
        ("a.gif", {"watch": 3}, "watch is 3"),
    ],
)
def test_hostile_options_are_refused_at_once(motion, tmp_path, name, options, message):
    with pytest.raises(sp.PictureError, match=message):
        motion.animate(tmp_path / name, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", [{"fps": 0}, {"speed": -1.0}])
def test_fps_and_speed_are_positive(motion, tmp_path, option):
    with pytest.raises(sp.PictureError, match=r"animate: (fps|speed) is .* must be positive"):
        motion.animate(tmp_path / "motion.gif", **option)


def test_a_failed_animation_leaves_the_old_file(motion, tmp_path):
    path = tmp_path / "motion.gif"
    path.write_bytes(b"old")

    def stop(fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        motion.animate(path, progress=stop, size=(1.5, 1.0), dpi=40)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_states_between_output_times_follow_the_motion(model):
    times = np.linspace(0.0, 0.2, 5)
    coarse = model.simulate(times, u=[1.0, 0.0], method=sp.NDF(rtol=1e-8, atol=1e-10))
    fine = model.simulate(np.linspace(0.0, 0.2, 9), u=[1.0, 0.0], method=sp.NDF(rtol=1e-8, atol=1e-10))
    states = states_at(coarse, fine.t)
    largest = np.abs(fine.q).max()
    for state, q in zip(states, fine.q, strict=True):
        assert_allclose(state.q, q, atol=0.02 * largest)
    assert_allclose(states[4].q, coarse.q[2], atol=1e-14)


def test_a_wrapped_rotation_is_not_swept_backwards():
    robot = sp.Robot("top", gravity=(0, 0, 0))
    robot.add_link("top", sp.Rigid.box((1, 1, 1), density=1.0), joint=sp.Spherical())
    model = robot.compile()
    motion = model.simulate(np.linspace(0.0, 2.0, 9), v0=[0.0, 0.0, 3.0])
    jump = int(np.abs(np.diff(motion.q[:, 2])).argmax())
    assert abs(motion.q[jump + 1, 2] - motion.q[jump, 2]) > np.pi
    (state,) = states_at(motion, np.array([motion.t[jump] + 0.05]))
    assert_allclose(state.q, motion.q[jump])
