"""Pictures as files: SVG, PNG and PDF."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import vl_convert

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
    return bytes(DRAWN_AS[format](spec, vl_version=VERSION))


def pictured(spec: Spec) -> tuple[bytes, bytes]:
    """A picture as SVG and as PNG."""
    svg = vl_convert.vegalite_to_svg(spec, vl_version=VERSION)
    return svg.encode(), vl_convert.svg_to_png(svg, scale=PNG_SCALE)
