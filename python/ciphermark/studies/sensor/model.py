"""The paper's model beside what it is fitted to: Table 4 and Figure 5."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Literal

import msgspec

from ciphermark.answers.models import sensor_2003
from ciphermark.answers.models.block_model import Errors, Parameters, Rule, blocks_of
from ciphermark.answers.models.fits import ComparedFit, ModelFits, Overall, fit_model
from ciphermark.answers.models.observations import simulated
from ciphermark.contract.others import Simulation
from ciphermark.studies.sensor.evidence import Measured
from ciphermark.studies.sensor.paper import FUNCTIONS, PLATFORMS, title
from ciphermark.view import figures
from ciphermark.view.findings import Cell, Column, NotTestable, Table, Verdict, columns

Kind = Literal["published", "cycles", "instructions"]
"""What a fit is of."""

PUBLISHED: Kind = "published"
CYCLES: Kind = "cycles"
INSTRUCTIONS: Kind = "instructions"
TWICE = 2.0
HALF = 0.5
RULES: dict[Rule, str] = {
    "printed": "⌈length / block⌉ blocks, as printed",
    "padded": "blocks with a hash's padding",
}


@cache
def published() -> ModelFits:
    """Of Table 3."""
    return fit_model(sensor_2003.observed(), sensor_2003.parameters(), sensor_2003.adjustments())


def fits(measured: Measured) -> dict[Kind, ModelFits]:
    """Of Table 3, and of the same functions and processors here by each kind of figure."""
    found = {PUBLISHED: published()}
    for kind, simulations in ((CYCLES, _cycles(measured)), (INSTRUCTIONS, _counted(measured))):
        observed = simulated("here", simulations, measured.run.targets)
        if observed.observations:
            found[kind] = fit_model(observed, [], [])
    return found


def model(measured: Measured) -> Table:
    """Errors of the model by function."""
    found = fits(measured)
    table = Table(
        title="The paper's model, t ≈ (a + b·blocks) / (clock · bus width): errors",
        columns=[
            *columns("function", "blocks"),
            *_columns("a, b of Table 4 on Table 3"),
            *(column for kind in found for column in _columns(_TITLES[kind], kind == PUBLISHED)),
        ],
        notes=[
            "median of |model − figure| / figure, and the largest of model / figure and figure / "
            "model. Of ciphers: the key setup, and key setup with text",
            *(f"{rule}: {words}" for rule, words in RULES.items()),
            "here: the paper's functions and processors at all simulated lengths; cycles of "
            "simulators and of pipeline models together, instructions separately",
            "parameters and refinements: ciphermark model fit --data sensor-2003",
        ],
    )
    for (algorithm, operation, rule), by_kind in _by_function(found).items():
        printed = by_kind.get(PUBLISHED)
        values = _errors(printed and printed.published_errors)
        for kind in found:
            values += _errors(by_kind.get(kind))
        table.rows.append([f"{title(algorithm)} {operation}", rule, *values])
    return table


def within_20_percent_printed(_: object) -> Verdict:
    """By the parameters of Table 4 on Table 3."""
    return _verdict([it for it in published().overall if it.parameters == "published"])


def within_20_percent(measured: Measured) -> Verdict:
    """By parameters fitted to what was simulated, in cycles; instructions are said beside it."""
    found = fits(measured)
    if CYCLES not in found:
        raise NotTestable("no cycles of the paper's processors in this run")
    verdict, said = _verdict(_fitted(found[CYCLES]))
    if INSTRUCTIONS in found:
        said += f"; of instructions: {_verdict(_fitted(found[INSTRUCTIONS]))[1]}"
    return verdict, f"of cycles: {said}"


def predicted(found: ModelFits, algorithm: str, *, printed: bool) -> tuple[Parameters, Rule] | None:
    """The parameters of a hash, printed or fitted, with the rule by which they are nearer."""
    fit = min(
        (it for it in found.fits if it.algorithm == algorithm and it.a is not None),
        key=lambda it: it.median_relative_error,
        default=None,
    )
    if fit is None:
        return None
    a, b = (fit.published_a, fit.published_b) if printed else (fit.a, fit.b)
    if a is None or b is None:
        return None
    return Parameters(a, b), "printed" if printed else fit.rule or "printed"


def cost(parameters: Parameters, rule: Rule, algorithm: str, message_bytes: int) -> float:
    """Cycles times bus width."""
    return parameters.cost(blocks_of(algorithm).number(message_bytes, rule))


_TITLES = {
    PUBLISHED: "fitted to Table 3",
    CYCLES: "fitted, cycles here",
    INSTRUCTIONS: "fitted, instructions here",
}


def _cycles(measured: Measured) -> list[Simulation]:
    return [it for it in _own(measured) if it.metric != "instructions"]


def _counted(measured: Measured) -> list[Simulation]:
    """Instructions of all processors, whatever else they have."""
    return [
        msgspec.structs.replace(it, metric="instructions", value=it.instructions)
        for it in _own(measured)
        if it.instructions
    ]


def _own(measured: Measured) -> Iterator[Simulation]:
    for it in measured.run.simulations:
        if it.case.target in PLATFORMS and it.case.algorithm in FUNCTIONS:
            yield it


def _columns(group: str, detail: bool = False) -> list[Column]:
    return [
        Column(heading="median, %", group=group, decimals=1, detail=detail),
        Column(heading="worst ×", group=group, decimals=2, detail=detail),
    ]


def _by_function(
    found: dict[Kind, ModelFits],
) -> dict[tuple[str, str, str], dict[Kind, ComparedFit]]:
    """Fits by algorithm, operation and rule; those of no rule count alike by both."""
    by_function: dict[tuple[str, str, str], dict[Kind, ComparedFit]] = {}
    for kind, them in found.items():
        for it in them.fits:
            key = (it.algorithm, it.operation, it.rule or "either")
            by_function.setdefault(key, {})[kind] = it
    return by_function


def _errors(of: Errors | None) -> list[Cell]:
    if of is None:
        return [None, None]
    return [100 * of.median_relative_error, of.worst_factor]


def _fitted(found: ModelFits) -> list[Overall]:
    return [it for it in found.overall if it.parameters == "fitted"]


def _verdict(overall: list[Overall]) -> Verdict:
    """By the rule that is nearer."""
    best = min(overall, key=lambda it: it.median_relative_error)
    holds = best.within_20_percent > HALF and best.worst_factor <= TWICE
    return holds, (
        f"{figures.percent(best.within_20_percent, 3)} of {best.cells} within 20 %, "
        f"{figures.percent(best.within_10_percent, 3)} within 10 %, at worst "
        f"{figures.times(best.worst_factor)} ({RULES[best.rule]})"
    )
