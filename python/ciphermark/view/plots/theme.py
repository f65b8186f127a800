"""Style of all plots: hues, dashes and shapes, and colours of light and dark pages.

An algorithm has a hue, a provider has a dash and a shape: nothing depends on colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Palette of Okabe and Ito, Color Universal Design (2008), without black and yellow, which vanish
on a dark and on a white page."""

DASHES = ([1, 0], [5, 3], [1.5, 2.5], [8, 3, 1.5, 3], [10, 4], [4, 1.5, 1, 1.5], [2.5, 6])
SHAPES = (
    *("circle", "diamond", "square", "triangle-up"),
    *("triangle-down", "cross", "triangle-right", "triangle-left"),
    "M-1,-1L1,-1L-1,1L1,1Z",  # two triangles upon each other
    "M-1,-1L-1,1L1,-1L1,1Z",  # and side by side
    "M-1,-0.35L1,-0.35L1,0.35L-1,0.35Z",  # a flat bar
    "M-0.35,-1L0.35,-1L0.35,1L-0.35,1Z",  # and an upright one
    "M0,-1L0.95,-0.31L0.59,0.81L-0.59,0.81L-0.95,-0.31Z",  # a pentagon
    "M-1,-1L0,0L1,-1L1,0L0,1L-1,0Z",  # an angle
)
"""Shapes of providers, from the first again when there are more."""

LEGEND_ITEM = 90
"""Pixels of a provider in a legend. Without a limit the legend of many would be wider than its
panel, which would shrink to make room for it."""

ALARM = "#d55e00"
"""Colour around figures that did not settle."""

FAINT = 0.12
"""Opacity of marks that were not brought out."""

LIGHT = ("#1c2026", "#5c636e", "#e3e5e9")
DARK = ("#e4e6ea", "#a4a9b3", "#31353d")
"""Colours of text, axes and grids, the same as on the page."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"

PANEL_WIDTH, PANEL_HEIGHT = 400, 300
"""Size of the plotting area in pixels; a page may make it wider or narrower, never higher, for
labels are placed for this height."""

LABEL_SIZE = 11
LABEL_GAP = 13
"""Least distance between two labels in pixels, from middle to middle."""


def config(*, dark: bool) -> dict[str, Any]:
    """Returns the Vega-Lite configuration for a light or a dark page."""
    ink, soft, faint = DARK if dark else LIGHT
    return {
        "font": FONT,
        "background": "transparent" if dark else "#ffffff",
        "view": {"stroke": None},
        "axis": {
            "domainColor": soft,
            "gridColor": faint,
            "labelColor": soft,
            "labelFontSize": LABEL_SIZE,
            "tickColor": soft,
            "tickSize": 4,
            "titleColor": soft,
            "titleFontSize": LABEL_SIZE,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "legend": {
            "labelColor": soft,
            "labelFontSize": LABEL_SIZE,
            "titleColor": soft,
            "titleFontSize": LABEL_SIZE,
            "titleFontWeight": "normal",
            "symbolBaseFillColor": soft,
            "symbolBaseStrokeColor": soft,
        },
        "rule": {"color": soft},
        "text": {"color": ink, "fontSize": LABEL_SIZE},
        "title": {
            "anchor": "start",
            "color": ink,
            "fontSize": 13,
            "fontWeight": 600,
            "offset": 10,
            "subtitleColor": soft,
            "subtitleFontSize": LABEL_SIZE,
        },
    }


def legend_columns(width: int) -> int:
    """Returns the number of providers side by side in the legend of a panel."""
    return max(1, width // LEGEND_ITEM)


def each(signs: Sequence[Any], providers: Sequence[str]) -> list[Any]:
    """Returns a sign for each provider, from the first again when they run out."""
    return [signs[place % len(signs)] for place in range(len(providers))]
