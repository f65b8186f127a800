"""Parts of Vega-Lite that recur in plots.

A plot is a specification in Vega-Lite (https://vega.github.io/vega-lite/docs/spec.html), which is
JSON: dictionaries are written as its documents have them. Tests check them against its schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ciphermark.view.plots import theme

VERSION = "6.4"
"""Version of Vega-Lite that plots are written for and pages load, as vl-convert names it."""

SCHEMA = f"https://vega.github.io/schema/vega-lite/v{VERSION}.0.json"

Spec = dict[str, Any]
"""Specification, or a part of one."""

TYPES = {"N": "nominal", "O": "ordinal", "Q": "quantitative", "T": "temporal"}


def field(named: str, **said: Any) -> Spec:  # noqa: ANN401
    """Returns a channel that shows a field: `value:Q`, with the first letter of its type."""
    name, _, kind = named.rpartition(":")
    return {"field": name, "type": TYPES[kind], **said}


def tooltip(said: Mapping[str, str]) -> list[Spec]:
    """Returns the fields of a tooltip, with their titles."""
    return [field(f"{name}:N", title=title) for name, title in said.items()]


def layer(
    mark: str, encoding: Spec, *, data: str | None = None, where: str | None = None, **style: Any
) -> Spec:
    """Returns marks of one kind.

    `data` names data of their own; `where` is an expression that selects points.
    """
    drawn: Spec = {"mark": {"type": mark, **style}, "encoding": encoding}
    if data is not None:
        drawn["data"] = {"name": data}
    if where is not None:
        drawn["transform"] = [{"filter": where}]
    return drawn


def layers(
    drawn: Sequence[Spec],
    *,
    title: str,
    width: int,
    height: int,
    data: str | None = None,
    params: Sequence[Spec] = (),
) -> Spec:
    """Returns layers upon each other, sizes in pixels; `params` are selections in the first."""
    spec: Spec = {"layer": list(drawn), "title": title, "width": width, "height": height}
    if data is not None:
        spec["data"] = {"name": data}
    if params:
        # Where panels stand beside each other in one picture, each view needs a name of its own.
        view = f"view_of_{params[0]['name']}"
        spec["layer"][0] = {"name": view} | spec["layer"][0]
        spec["params"] = [{**param, "views": [view]} for param in params]
    return spec


def picked_in_legend(name: str, of: str) -> Spec:
    """Returns a selection of the marks with the field that was clicked in the legend."""
    return {"name": name, "select": {"type": "point", "fields": [of]}, "bind": "legend"}


def brought_out(*selections: str) -> Spec:
    """Returns the opacity of marks: faint for those that a selection leaves out."""
    if len(selections) == 1:
        chosen: Spec = {"param": selections[0]}
    else:
        chosen = {"test": {"and": [{"param": name} for name in selections]}}
    return {"condition": chosen | {"value": 1}, "value": theme.FAINT}
