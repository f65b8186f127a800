"""The report: one HTML file that needs nothing else, and its plots as files beside it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2
from markupsafe import Markup

import ciphermark
from ciphermark.command.additions import additions
from ciphermark.command.processes import processes
from ciphermark.errors import UsageError, WorkError
from ciphermark.files import extras
from ciphermark.files.atomic import replaced_file
from ciphermark.messages import visible
from ciphermark.show.plots import drawing, theme, vegalite
from ciphermark.show.plots.panel import Plot, picture
from ciphermark.show.plots.vegalite import Spec
from ciphermark.show.problems import MARKS
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ciphermark import contract
    from ciphermark.record.run import Context, Run
    from ciphermark.record.store import Store
    from ciphermark.workload import AnyRows
    from ciphermark.workloads.single.cost_card import CostCard


VEGA = Path(ciphermark.__file__).parent / "show" / f"vega-lite-{vegalite.VERSION}.js"


@cache
def javascript() -> str:
    """Returns Vega, Vega-Lite and Vega-Embed in one text, for the plots' version of Vega-Lite.

    An installation has it as a file. For a tree that was not installed the extra `plots` makes it,
    in two seconds; raises `UsageError` without.
    """
    if VEGA.exists():
        return VEGA.read_text("utf-8")
    made: str = extras.needed("plots").javascript_bundle(vl_version=vegalite.VERSION)
    return made


NAME = "report.html"
FIGURES = "figures.js"
"""The script that writes figures for all others."""

TEMPLATES = Path(ciphermark.__file__).parent / "show" / "templates"

FEW_POINTS = 200
"""Points of all plots that are drawn sooner than other processes have begun: one takes 6 ms, as SVG
and as PNG, and a process half a second."""

Panels = list[tuple[Spec, int]]
Drawn = dict[Plot, Panels]
"""The panels of each plot, each with the room that it needs beside the plotting area."""


def write_report(
    run: Run,
    rows: AnyRows,
    folder: Path,
    output: Path | None = None,
    *,
    force: bool = False,
    with_files: bool = True,
    facts: Sequence[contract.Algorithm] | None = None,
    store: Store | None = None,
) -> Path:
    """Writes the report of a run and its plots, and returns the path of the report.

    It goes to `report.html` in the folder of the run, where an older one is replaced as it is
    derived from the run, or to `output`, which is replaced only with `force`. The plots go to a
    folder beside it too, unless they are to be in the page alone or the extra `plots` is not
    installed. `facts` are those of all
    algorithms, for advice, which asks for them unless given. `store` has the run and others of its
    machine, which tell more of what it carries. Raises `UsageError` when `output` is there,
    `WorkError` when it cannot be written.
    """
    if not force:
        check_output(output)
    with_files = with_files and extras.is_installed("plots")
    shown, content, template, cards = _page(run, rows, facts, store)
    target = (output or folder / NAME).absolute()
    pictures = _pictures(target) if output else target.with_name("plots")
    drawn: dict[str, Drawn] = {name: {} for name, _ in shown}
    for name, plots in shown:
        drawn[name] |= _drawn(plots, run.context, rows, cards)
    content |= _plots_of_page(drawn, pictures.name if with_files else None)
    specs = {
        plot.name: picture(plot, [spec for spec, _ in panels], run.context, rows)
        for found in drawn.values()
        for plot, panels in found.items()
        if with_files
    }
    try:
        (pictures if with_files else target.parent).mkdir(parents=True, exist_ok=True)
        with pictured(list(specs.values())) as files:
            page = html(template, content)
            for name, (svg, png) in zip(specs, files, strict=True):
                _replace(pictures / f"{name}.svg", svg)
                _replace(pictures / f"{name}.png", png)
        _replace(target, page)
    except OSError as error:
        raise WorkError(
            f"the report could not be written to {target} ({error.strerror}); "
            "name another place with --output PATH"
        ) from error
    return target


def _page(
    run: Run,
    rows: AnyRows,
    facts: Sequence[contract.Algorithm] | None = None,
    store: Store | None = None,
) -> tuple[list[tuple[str, list[Plot]]], dict[str, Any], str, list[CostCard]]:
    """Where the template has which plots, what it is filled with, the template, and the cost cards
    of the rows."""
    own, said, template, cards = workload_of(run.context.workload).page(run, rows)
    parts = [part(run, rows, facts, store) for part in additions.report_parts]
    content = dict(said)
    for part in parts:
        content |= part.content
    shown = [(part.shown_as, part.plots) for part in parts] + [("plots", own)]
    return shown, content, template, cards


def drawings(run: Run, rows: AnyRows) -> dict[str, Callable[[str], bytes]]:
    """The plots of a run's report that have something to show, by name; each is drawn in a format
    of `drawing.FORMATS` when it is called."""
    shown, _, _, cards = _page(run, rows)
    found = _drawn([plot for _, plots in shown for plot in plots], run.context, rows, cards)

    def draw(plot: Plot, panels: Panels, format: str) -> bytes:
        spec = picture(plot, [spec for spec, _ in panels], run.context, rows)
        return drawing.drawn(spec, format)

    return {plot.name: partial(draw, plot, panels) for plot, panels in found.items()}


def check_output(output: Path | None) -> None:
    """Refuses, as a `UsageError`, a place for a report where there is something already.

    To be called before measuring, so that nobody waits for a report that is then refused.
    """
    for path in (output, _pictures(output)) if output else ():
        if path.exists():
            raise UsageError(
                f"{path} is there already: `ciphermark report --force` replaces it, "
                "or name another place with --output PATH"
            )


def _pictures(output: Path) -> Path:
    """The folder of the plots of a report that does not lie in its run's folder."""
    return output.with_name(f"{output.stem}-plots")


def _replace(path: Path, content: bytes) -> None:
    with replaced_file(path) as partial:
        partial.write_bytes(content)


def _drawn(plots: list[Plot], context: Context, rows: AnyRows, cards: list[CostCard]) -> Drawn:
    """The plots that have something to show."""
    drawn: Drawn = {}
    for plot in plots:
        panels = plot.panels(context, rows, cards)
        if panels:
            drawn[plot] = [(panel.spec(), panel.room) for panel in panels]
    return drawn


@contextmanager
def pictured(specs: Sequence[Spec]) -> Iterator[Iterator[tuple[bytes, bytes]]]:
    """Pictures as SVG and PNG, for the block; many points are drawn by other processes, while this
    one goes on."""
    points = sum(len(data) for spec in specs for data in spec["datasets"].values())
    count = min(os.cpu_count() or 1, len(specs))
    if count == 1 or points < FEW_POINTS:
        yield map(drawing.pictured, specs)
        return
    remedy = "ciphermark report draws them again"
    with processes(count, "drew plots", remedy) as pool:
        yield pool.map(drawing.pictured, specs)


def _plots_of_page(drawn: dict[str, Drawn], folder: str | None) -> dict[str, Any]:
    """What the template needs of the plots: their texts, their panels as data, and the folder of
    their files, if any."""
    every = {plot.name: panels for found in drawn.values() for plot, panels in found.items()}
    shown = {name: [_of_page(*it) for it in found.items()] for name, found in drawn.items()}
    return shown | {"plots_folder": folder, "plot_data": plot_data(every)}


def plots_document(drawn: Mapping[str, list[tuple[Spec, int]]]) -> dict[str, Any]:
    """What the script of a page draws: the panels of each plot by its name, with their room."""
    return {
        "panels": {
            name: [{"spec": spec, "room": room} for spec, room in panels]
            for name, panels in drawn.items()
        },
        "configs": {"light": theme.config(dark=False), "dark": theme.config(dark=True)},
    }


def plot_data(drawn: Mapping[str, list[tuple[Spec, int]]]) -> Markup:
    """The same as JSON within a page."""
    document = plots_document(drawn)
    # A name that holds "</script>" must not end the element that the data is in.
    return Markup(json.dumps(document, separators=(",", ":")).replace("<", "\\u003c"))


class Part(NamedTuple):
    """A page as a part of another one, which has styles and scripts already."""

    title: str
    html: str
    plots: dict[str, Any]
    """What `showReport` of report.js draws."""


def as_part(
    run: Run,
    rows: AnyRows,
    facts: Sequence[contract.Algorithm] | None = None,
    store: Store | None = None,
) -> Part:
    """The report of a run as a part of another page; `facts` and `store` as of `write_report`."""
    shown, content, template, cards = _page(run, rows, facts, store)
    drawn = {name: _drawn(plots, run.context, rows, cards) for name, plots in shown}
    content |= {name: [_of_page(*it) for it in found.items()] for name, found in drawn.items()}
    panels = {plot.name: it for found in drawn.values() for plot, it in found.items()}
    return part(template, content, panels)


def part(template: str, content: dict[str, Any], drawn: Mapping[str, Panels]) -> Part:
    """A page of one of the templates as a part of another page."""
    filled = content | {"fragment": True, "plots_folder": None}
    return Part(
        content["title"], templates().get_template(template).render(filled), plots_document(drawn)
    )


def _of_page(plot: Plot, panels: Panels) -> dict[str, Any]:
    """A plot as the template takes it."""
    said = ("name", "title", "explanation", "hint", "columns")
    return {name: getattr(plot, name) for name in said} | {"panels": panels}


@cache
def templates() -> jinja2.Environment:
    """The templates of all pages, each compiled once, in which every text is escaped."""
    found = environment([TEMPLATES])
    found.globals["marks"] = MARKS
    return found


def environment(folders: Sequence[Path]) -> jinja2.Environment:
    """Returns the templates of folders; texts hold no markup and no control characters."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )


def html(template: str, content: dict[str, Any]) -> bytes:
    """A page of one of the templates, with all that it needs to work offline."""
    texts = {
        "bundle": javascript(),
        "js": (TEMPLATES / "report.js").read_text(),
        "css": (TEMPLATES / "report.css").read_text(),
    }
    scripts = (texts[name] for name in ("bundle", "js"))
    parts = {name: Markup(text) for name, text in texts.items()}
    parts["scripts"] = Markup(" ".join(map(allowed, scripts)))
    return templates().get_template(template).render(**content, **parts).encode()


def allowed(script: str) -> str:
    """What a policy for the content of a page allows a script by: its hash."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
