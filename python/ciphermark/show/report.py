"""The report: one HTML file that needs nothing else, and its plots as files beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair
import jinja2
import vl_convert
from markupsafe import Markup

from ciphermark.errors import UsageError, WorkError
from ciphermark.record.atomic import replaced_file
from ciphermark.show.page import page
from ciphermark.show.plots import PLOTS, theme
from ciphermark.show.plots.panel import Panel, Plot

if TYPE_CHECKING:
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.row import Row
    from ciphermark.record.run import Run

NAME = "report.html"
TEMPLATES = Path(__file__).with_name("templates")

VEGALITE = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
"""The version of Vega-Lite that the plots are written for, as vl-convert names it."""

PNG_SCALE = 2
"""Pixels of a PNG for each of the plot, for screens with fine pixels."""

Drawn = dict[Plot, list[Panel]]


def write_report(
    run: Run,
    rows: list[Row],
    cards: list[CostCard],
    folder: Path,
    output: Path | None = None,
    doctor_line: str | None = None,
    *,
    force: bool = False,
) -> Path:
    """Writes the report of a run and its plots, and returns the path of the report.

    It goes to `report.html` in the folder of the run, where an older one is replaced as it is
    derived from the run, or to `output`, which is replaced only with `force`. The plots go to a
    folder beside it. Raises `UsageError` when `output` is there, `WorkError` when it cannot be
    written.
    """
    target = (output or folder / NAME).absolute()
    pictures = target.with_name("plots" if output is None else f"{target.stem}-plots")
    if output is not None and not force:
        _refuse_existing(target, pictures)
    plots = {plot: plot.panels(run.context, rows, cards) for plot in PLOTS}
    drawn = {plot: panels for plot, panels in plots.items() if panels}
    content = page(run, rows, cards, doctor_line) | _plots_of_page(drawn, pictures.name)
    try:
        pictures.mkdir(parents=True, exist_ok=True)
        for plot, panels in drawn.items():
            chart = plot.together(panels, run.context, rows).to_dict(validate=False)
            _replace(pictures / f"{plot.name}.svg", _svg(chart))
            _replace(pictures / f"{plot.name}.png", _png(chart))
        _replace(target, _html(content))
    except OSError as error:
        raise WorkError(
            f"the report could not be written to {target} ({error.strerror}); "
            "name another place with --output PATH"
        ) from error
    return target


def _refuse_existing(*paths: Path) -> None:
    for path in paths:
        if path.exists():
            raise UsageError(
                f"{path} is there already: replace it with --force, or name another place"
            )


def _replace(path: Path, content: bytes) -> None:
    with replaced_file(path) as partial:
        partial.write_bytes(content)


def _svg(chart: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_svg(chart, vl_version=VEGALITE).encode()


def _png(chart: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_png(chart, vl_version=VEGALITE, scale=PNG_SCALE)


def _plots_of_page(drawn: Drawn, folder: str) -> dict[str, Any]:
    """What the template needs of the plots: their texts, and their panels as data."""
    data = {
        "panels": {
            plot.name: [{"spec": _spec(panel), "room": panel.room} for panel in panels]
            for plot, panels in drawn.items()
        },
        "configs": {"light": theme.config(dark=False), "dark": theme.config(dark=True)},
    }
    # A name that holds "</script>" must not end the element that the data is in.
    safe = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return {
        "plots": [
            {
                "name": plot.name,
                "title": plot.title,
                "explanation": plot.explanation,
                "columns": plot.columns,
                "panels": panels,
            }
            for plot, panels in drawn.items()
        ],
        "plots_folder": folder,
        "plot_data": Markup(safe),
    }


def _spec(panel: Panel) -> dict[str, Any]:
    """The panel without what the page decides: its colours and which Vega-Lite draws it."""
    spec = panel.chart.to_dict(validate=False)
    return {name: value for name, value in spec.items() if name not in ("$schema", "config")}


def _html(content: dict[str, Any]) -> bytes:
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined
    )
    parts = {
        "css": Markup((TEMPLATES / "report.css").read_text()),
        "js": Markup((TEMPLATES / "report.js").read_text()),
        "bundle": Markup(vl_convert.javascript_bundle(vl_version=VEGALITE)),
    }
    return environment.get_template("report.html.jinja").render(**content, **parts).encode()
