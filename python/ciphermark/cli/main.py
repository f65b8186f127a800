"""The command `ciphermark`: one line for each verb, and how a command ends.

Verbs import what they need when they run, so that `--help` is quick.
"""

from __future__ import annotations

import typer

from ciphermark.cli import (
    advise,
    capacity,
    compare,
    cores,
    doctor,
    esp,
    export,
    fleet,
    importing,
    listing,
    machines,
    model,
    packets,
    protocol,
    report,
    sessions,
    show,
    simulate,
    study,
    survey,
    tune,
    verify,
)
from ciphermark.cli.ending import at_end
from ciphermark.cli.output import say
from ciphermark.errors import NotStored, UsageError, WorkError
from ciphermark.streams import output_failure

app = typer.Typer(
    name="ciphermark",
    help="Measures what cryptography costs on this machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("survey")(survey.survey)
app.command("sessions")(sessions.sessions)
app.command("packets")(packets.packets)
app.command("esp")(esp.esp)
app.command("cores")(cores.cores)
app.command("simulate")(simulate.simulate)
app.command("tune")(tune.tune)
app.command("study")(study.study)
app.add_typer(fleet.app, name="fleet")
app.command("verify")(verify.verify)
app.add_typer(listing.app, name="list")
app.command("show")(show.show)
app.add_typer(machines.app, name="machines")
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.add_typer(model.app, name="model")
app.command("protocol")(protocol.protocol)
app.command("advise")(advise.advise)
app.command("capacity")(capacity.capacity)
app.command("export")(export.export)
app.command("import")(importing.import_)
app.command("doctor")(doctor.doctor)


def run() -> int:
    """Runs the command and returns its exit code.

    What the user or the machine does wrong is said in one sentence, never in a traceback.
    """
    try:
        return _run()
    except UsageError as error:
        say(error)
        return 2
    except NotStored as error:
        _print_run(error)
        return 1
    except WorkError as error:
        say(error)
        return 1
    except BrokenPipeError:
        return 1  # the reader has seen enough
    except OSError as error:
        say(f"{error.filename or 'the output cannot be written'}: {error.strerror}")
        return 1


def _print_run(error: NotStored) -> None:
    """What was measured and has no other place any more."""
    print(error.document.decode())
    if output_failure() is None:
        cure = (
            "it is printed as JSON: keep that in a file, make room, and type ciphermark import FILE"
        )
    else:
        cure = "it could not be printed either, and is lost"
    say(f"{error}; {cure}")


def _run() -> int:
    with at_end:
        try:
            app()
            code = 0
        except SystemExit as ended:  # typer's way of ending
            code = int(ended.code or 0)
    # Here, where an error can still be said in a sentence, and not when the interpreter ends.
    unwritten = output_failure()
    if unwritten is None:
        return code
    if not unwritten.is_told:
        raise unwritten.failure
    return code or 1
