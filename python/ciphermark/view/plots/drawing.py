"""Pictures as files: SVG, PNG and PDF."""

from __future__ import annotations

from typing import Any

from ciphermark.errors import shortened
from ciphermark.files import extras
from ciphermark.messages import visible
from ciphermark.view.plots.vegalite import VERSION, Spec

PNG_SCALE = 2
"""Pixels of a PNG for each of the plot, for screens with fine pixels."""

FORMATS = ("pdf", "png", "svg")
"""Formats of pictures, as `--format` takes them."""


def drawn(spec: Spec, format: str) -> bytes:
    """Draws a picture in one of the formats. Raises `UsageError` without the extra `plots`."""
    draw = getattr(extras.needed("plots"), f"vegalite_to_{format}")
    options = {"scale": PNG_SCALE} if format == "png" else {}
    picture = draw(_bounded(spec), vl_version=VERSION, **options)
    return picture.encode() if isinstance(picture, str) else bytes(picture)


def pictured(spec: Spec) -> tuple[bytes, bytes]:
    """Draws a picture as SVG and as PNG. Raises `UsageError` without the extra `plots`."""
    vl_convert = extras.needed("plots")
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
