"""`ciphermark model fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.answers.models.data import DataOption, MetricOption, observed
from ciphermark.command.options import JsonOption, RunsOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ciphermark.answers.models.blocks import Rule

RuleOption = Annotated[
    str | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="How the blocks of a hash are counted: printed (an empty message has none) or padded "
        "(as the function pads); both unless given.",
    ),
]


def fit(
    data: DataOption = "sensor-2003",
    rule: RuleOption = None,
    metric: MetricOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Fit the paper's model of blocks, and print its parameters beside the published ones.

    The model says that a message takes (a + b·blocks) / (clock · bus width). It is fitted to all
    processors of the data at once, by the least relative error; how far it is off at them is
    printed too.
    """
    from ciphermark.answers.models import sensor_2003
    from ciphermark.answers.models.model_fits import fit_model

    found = fit_model(
        observed(data, runs, metric),
        sensor_2003.parameters(),
        sensor_2003.adjustments(),
        _rules(rule),
    )
    if json:
        from ciphermark.answers.models.show_fits import document
        from ciphermark.command.output import print_json

        print_json(document(found))
        return
    from ciphermark.answers.models.show_fits import print_fits
    from ciphermark.show.terminal import output_console

    print_fits(output_console(), found)


def _rules(typed: str | None) -> Sequence[Rule]:
    from ciphermark.answers.models.blocks import RULES
    from ciphermark.plan import names

    if typed is None:
        return RULES
    return [names.find(typed, {it: it for it in RULES}, "rule", ", ".join(RULES))]
