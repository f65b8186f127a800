"""`ciphermark model …`: one line for each question to the models of processors."""

from __future__ import annotations

import typer

from ciphermark.answers.models import command_backtest as model_backtest
from ciphermark.answers.models import command_feasible as model_feasible
from ciphermark.answers.models import command_fit as model_fit
from ciphermark.answers.models import command_predict as model_predict

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Ask what functions cost on processors that were not measured.",
)

app.command("fit")(model_fit.fit)
app.command("predict")(model_predict.predict)
app.command("backtest")(model_backtest.backtest)
app.command("feasible")(model_feasible.feasible)
app.command("require")(model_feasible.require)
