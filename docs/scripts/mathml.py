"""Formulas of the pages as MathML, made while the site is built: readers need neither a network nor scripts.

Pages write LaTeX between dollars, which GitHub typesets too. `pymdownx.arithmatex` finds it (never inside code); this
hook of MkDocs turns what it found into MathML, which browsers lay out by themselves.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

#: What arithmatex leaves of a formula: in a line of text, or displayed.
INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', flags=re.DOTALL)
DISPLAYED = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', flags=re.DOTALL)


def mathml(latex: str, display: str = "inline") -> str:
    """One formula; "aligned" goes by its other name, the one that the converter knows."""
    return convert(latex.strip().replace("{aligned}", "{split}"), display=display)


def with_mathml(page: str) -> str:
    """A page of HTML with its formulas typeset; displayed ones scroll by themselves where the screen is narrow."""
    page = DISPLAYED.sub(lambda found: f'<div class="formula">{mathml(html.unescape(found[1]), "block")}</div>', page)
    return INLINE.sub(lambda found: mathml(html.unescape(found[1])), page)


def on_page_content(content: str, **_: Any) -> str:
    """Called by MkDocs with the HTML of every page."""
    return with_mathml(content)
