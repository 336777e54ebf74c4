"""A page is served before there is a robot, and whoever came early sees it as everybody else does."""

import contextlib
import gc
import subprocess
import sys
import urllib.request
import warnings

import msgspec
import numpy as np
import pytest
import viser
from test_hostile_pages import CAMERA, wait_for
from websockets.sync.client import connect

from supple.errors import PictureError
from supple.serving.door import Door
from supple.serving.site import Site
from supple.studio.actor import Options
from supple.studio.studio import Studio

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@pytest.fixture
def site():
    with Site("127.0.0.1", 8600) as made:
        yield made
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # sockets that viser's server leaves to the collector
        gc.collect()


def visit(site):
    """A page, as far as viser can tell."""
    page = connect(site.url.replace("http", "ws"), subprotocols=[f"viser-v{viser.__version__}"], max_size=None)
    page.send(msgspec.msgpack.encode(CAMERA))
    return page


def test_a_site_answers_before_anything_that_computes_is_loaded():
    program = (
        "import sys, urllib.request\n"
        "from supple.serving.site import Site\n"
        "with Site('127.0.0.1', 8600) as site:\n"
        "    page = urllib.request.urlopen(site.url, timeout=60).read()\n"
        "assert b'<html' in page.lower()\n"
        "assert not {'numba', 'supple.model', 'supple.robot'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_ending_twice_is_ending_once(site):
    site.stop()
    site.stop()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(site.url, timeout=10)


def test_a_page_that_came_before_the_robot_looks_at_it_and_later_ones_begin_so(site, arm):
    with visit(site):
        wait_for(lambda: len(site.server.get_clients()) == 1)
        (early,) = site.server.get_clients().values()
        with Studio([arm], lambda: site, Options()) as studio:
            eye, middle, up = studio.home
            wait_for(lambda: np.allclose(early.camera.position, eye))
            np.testing.assert_allclose(early.camera.look_at, middle)
            np.testing.assert_allclose(early.camera.up_direction, up)
            wait_for(lambda: early.camera.fov == site.server.initial_camera.fov)  # a moment after the place
            assert early.camera.far == site.server.initial_camera.far
            wait_for(lambda: studio.pace.watched)
            with visit(site):
                wait_for(lambda: len(site.server.get_clients()) == 2)
                late = max(site.server.get_clients())
                assert late not in site.early  # where it looks is its own: it began with the initial camera


def test_what_does_not_come_about_ends_the_site(site, arm, monkeypatch):
    monkeypatch.setattr(Studio, "_enter", lambda self, *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Studio([arm], lambda: site, Options())
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(site.url, timeout=10)


def test_no_site_is_opened_for_what_cannot_be_shown(arm):
    with pytest.raises(PictureError, match="'Motion'"):
        Studio([arm], lambda: pytest.fail("it was opened"), Options(mode="Motion"))


def test_pages_are_sent_no_photograph_to_make_light_of(site):
    """Without a graphics card, a browser takes seconds for it, in which it shows nothing."""
    sent = site.server._websock_server._broadcast_buffer.message_from_id.values()
    (sky,) = (message for message in sent if type(message).__name__ == "EnvironmentMapMessage")
    assert sky.hdri_data is None


def test_a_viser_that_makes_its_own_socket_is_served_where_it_was_told(monkeypatch):
    door = Door("127.0.0.1", 8600)
    monkeypatch.setattr(door, "taken_over", contextlib.nullcontext)
    with Site(door.host, door.port, door=door) as site:
        assert site.url == door.url
        assert urllib.request.urlopen(site.url, timeout=60).status == 200
