"""Pictures as files: SVG, PNG and PDF."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import vl_convert

from ciphermark.errors import shortened
from ciphermark.messages import visible
from ciphermark.show.plots.vegalite import VERSION, Spec

PNG_SCALE = 2
"""Pixels of a PNG for each of the plot, for screens with fine pixels."""

DRAWN_AS: dict[str, Callable[..., bytes]] = {
    "pdf": vl_convert.vegalite_to_pdf,
    "png": partial(vl_convert.vegalite_to_png, scale=PNG_SCALE),
    "svg": lambda spec, vl_version: vl_convert.vegalite_to_svg(spec, vl_version).encode(),
}
"""What draws a picture, by the name that `--format` takes."""


def drawn(spec: Spec, format: str) -> bytes:
    """A picture in one of the formats of `DRAWN_AS`."""
    return bytes(DRAWN_AS[format](_bounded(spec), vl_version=VERSION))


def pictured(spec: Spec) -> tuple[bytes, bytes]:
    """A picture as SVG and as PNG."""
    svg = vl_convert.vegalite_to_svg(_bounded(spec), vl_version=VERSION)
    return svg.encode(), vl_convert.svg_to_png(svg, scale=PNG_SCALE)


LONGEST_TEXT = 1000
"""Characters of a text in a picture: laying out a name of 100,000 takes hours, without an end."""


def _bounded(part: Any) -> Any:
    """Returns a specification with each of its texts shortened and visible."""
    if isinstance(part, str):
        return visible(shortened(part, LONGEST_TEXT))
    if isinstance(part, dict):
        return {name: _bounded(item) for name, item in part.items()}
    return [_bounded(item) for item in part] if isinstance(part, list | tuple) else part
