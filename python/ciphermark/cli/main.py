"""The command `ciphermark`: one line for each verb, and how a command ends.

Verbs import what they need when they run, so that `--help` is quick.
"""

from __future__ import annotations

import sys

import typer

from ciphermark.cli import compare, doctor, export, listing, report, show, study, survey, verify
from ciphermark.errors import UsageError, WorkError

app = typer.Typer(
    name="ciphermark",
    help="Measures what cryptography costs on this machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("survey")(survey.survey)
app.command("study")(study.study)
app.command("verify")(verify.verify)
app.add_typer(listing.app, name="list")
app.command("show")(show.show)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("export")(export.export)
app.command("doctor")(doctor.doctor)


def main() -> None:
    """Runs the command; a user's mistake is one sentence, never a traceback."""
    try:
        app()
    except UsageError as error:
        sys.exit(_say(error, 2))
    except WorkError as error:
        sys.exit(_say(error, 1))
    except KeyboardInterrupt:
        print("ciphermark: stopped; nothing was stored", file=sys.stderr)
        sys.exit(1)


def _say(error: Exception, code: int) -> int:
    print(f"ciphermark: {error}", file=sys.stderr)
    return code
