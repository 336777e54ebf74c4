"""Pages get shadows if they are quick without them, and keep them if they are quick with them."""

from types import SimpleNamespace

import pytest

from supple.studio.shadows import COMPILING, JUDGED, QUICK, SLOW, Shadows


class Lights:
    """What a scene was told of its lights."""

    def __init__(self):
        self.told = []

    def configure_default_lights(self, *, cast_shadow):
        self.told.append(cast_shadow)


def page(number=0):
    return SimpleNamespace(client_id=number, scene=Lights())


@pytest.fixture
def shadows():
    return Shadows(SimpleNamespace(scene=Lights()))


def tell(shadows, client, seconds, count):
    return [shadows.told(client, seconds) for _ in range(count)]


def test_a_quick_page_gets_shadows_and_keeps_them(shadows):
    client = page()
    assert all(tell(shadows, client, 0.3 * QUICK, JUDGED))
    assert client.scene.told == [True]
    asked = [*tell(shadows, client, 5.0 * SLOW, COMPILING), *tell(shadows, client, 0.5 * SLOW, JUDGED)]
    assert asked == [True] * (COMPILING + JUDGED - 1) + [False]
    assert client.scene.told == [True]
    assert shadows.on(client)
    assert not any(tell(shadows, client, 100.0, 20))  # a window that was made large, a slow line: as it is
    assert shadows.on(client)


def test_a_slow_page_never_sees_them(shadows):
    client = page()
    assert tell(shadows, client, 2.0 * QUICK, JUDGED) == [True] * (JUDGED - 1) + [False]
    assert not any(tell(shadows, client, 0.0, 50))
    assert client.scene.told == []
    assert not shadows.on(client)


def test_a_page_that_shadows_make_slow_loses_them_at_once_or_soon(shadows):
    sudden, slow = page(1), page(2)
    for client in (sudden, slow):
        tell(shadows, client, 0.0, JUDGED)
        assert client.scene.told == [True]
    assert tell(shadows, sudden, 2.0, 1) == [False]
    assert tell(shadows, slow, 2.0 * SLOW, COMPILING + JUDGED)[-1] is False
    for client in (sudden, slow):
        assert client.scene.told == [True, False]
        assert not shadows.on(client)


def test_one_slow_picture_decides_nothing(shadows):
    client = page()
    tell(shadows, client, 0.0, JUDGED - 1)
    tell(shadows, client, 3.0, 1)
    assert client.scene.told == [True]


def test_who_chooses_is_heeded_on_all_pages(shadows):
    client = page()
    everywhere = shadows.server.scene.told
    assert everywhere == [False]
    shadows.choose(True)
    assert everywhere == [False, True]
    assert not any(tell(shadows, client, 5.0, 20))
    assert client.scene.told == []
    assert shadows.on(client)
    shadows.choose(False)
    assert everywhere == [False, True, False]
    assert not shadows.on(client)


def test_pages_that_went_are_forgotten(shadows):
    client = page()
    tell(shadows, client, 0.0, 3)
    shadows.went(client)
    assert shadows._trials == {}
    shadows.went(client)
