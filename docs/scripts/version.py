"""A hook of MkDocs: every page says which version it is about."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent


def package_version() -> str:
    """Version of the package of this tree, read and not imported."""
    text = (ROOT / "src" / "supple" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    assert found is not None
    return found[1]


def on_config(config: Any) -> Any:
    """The version, below every page and in the title of the site."""
    version = package_version()
    config["copyright"] = f"supple {version}"
    config["site_name"] = f"supple {version}"
    return config
