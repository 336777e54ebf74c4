"""Examples of the pages on extending, as files of a package that a test makes."""

import re
import sys
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from pathlib import Path

PAGES = Path(__file__).parent.parent / "docs" / "extending"


def code_blocks(page):
    """Python code of a page, block by block."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def block_with(page, text):
    """The block of a page that holds some text."""
    [found] = [block for block in code_blocks(page) if text in block]
    return found


def line_count(code):
    """Lines of a file."""
    return len(code.strip().splitlines())


@contextmanager
def package(folder, name, **files):
    """Import a package of files that exports all their public classes, as a new user's would."""
    home = folder / name
    home.mkdir()
    for module, code in files.items():
        (home / f"{module}.py").write_text(code, encoding="utf-8")
    exports = [f"from {name}.{module} import *\n" for module in files]
    (home / "__init__.py").write_text("".join(exports), encoding="utf-8")
    sys.path.insert(0, str(folder))
    invalidate_caches()
    try:
        yield import_module(name)
    finally:
        sys.path.remove(str(folder))
        for module in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
            del sys.modules[module]
