"""The command `ciphermark`, whose verbs are in `groups.py`, and how a command ends.

Verbs import modules when they run, so that `--help` is quick.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ciphermark.cli.groups import GroupedCommands
from ciphermark.command.additions import additions, late
from ciphermark.command.linear_algebra import use_one_thread
from ciphermark.command.options import flag
from ciphermark.command.output import at_end, say
from ciphermark.errors import NotStored, UsageError, WorkError
from ciphermark.files import user_folders
from ciphermark.messages import is_utf8, visible
from ciphermark.plan import extensions
from ciphermark.streams import output_failure

NAME = "ciphermark"

app = typer.Typer(
    name=NAME,
    cls=GroupedCommands,
    help="Measures what cryptography costs on this machine.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from ciphermark import __version__

        print(f"ciphermark {__version__}")
        raise typer.Exit


def _cite(wanted: bool) -> None:
    if wanted:
        from ciphermark import __version__

        print(_CITATION.format(version=__version__))
        raise typer.Exit


_CITATION = """\
@software{{ciphermark,
  author = {{{{The ciphermark authors}}}},
  title = {{{{ciphermark}}}},
  version = {{{version}}},
  year = {{2026}},
  license = {{MIT OR Apache-2.0}}
}}"""
"""The facts of CITATION.cff, as BibTeX; a test holds them equal."""


@app.callback()
def options(
    version: Annotated[
        bool, flag("Print the version.", "--version", callback=_version, is_eager=True)
    ] = False,
    cite: Annotated[
        bool,
        flag("Print how to cite ciphermark (BibTeX).", "--cite", callback=_cite, is_eager=True),
    ] = False,
    extensions_folder: Annotated[
        Path | None,
        typer.Option(
            "--extensions",
            metavar="DIR",
            envvar=extensions.VARIABLE,
            show_envvar=False,
            help="Folder with algorithms, kernels, studies or importers of your own.",
        ),
    ] = None,
) -> None:
    """Measures what cryptography costs on this machine.

    Begin with `ciphermark survey` for algorithms and libraries, or `ciphermark esp` for tunnels.
    What measures ends with what to type next. `ciphermark COMMAND --help` explains its options.
    """
    use_one_thread()
    if extensions_folder is not None:
        extensions.use(extensions_folder)


additions.report_parts += [
    late("studies.command:report_part"),
    late("answers.advice.command:report_part"),
    late("answers.models.command:report_part"),
]
additions.library_of = late("answers.advice.command:library_of")
additions.use_of = late("answers.advice.command:use_of")
additions.suites_of_peer = late("answers.advice.command:suites_of_peer")
additions.show_kept += [late("studies.command:show_kept"), late("cli.show:show_kept")]


def run() -> int:
    """Runs the command and returns its exit code.

    Errors of the user or the machine are printed as one sentence, never as a traceback.
    """
    try:
        _check_surroundings()
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


def _check_surroundings() -> None:
    """Raises `UsageError` where a run could not be kept: before anything is measured."""
    for number, argument in enumerate(sys.argv[1:], start=1):
        if not is_utf8(argument):
            raise UsageError(
                f"argument {number} ({argument!a}) is not UTF-8, the encoding of stored runs: "
                "rename that file or folder"
            )
    try:
        user_folders.data_folder()
    except RuntimeError:
        raise UsageError(
            "this user has no home folder: set HOME to a folder that you may write to"
        ) from None


def _print_run(error: NotStored) -> None:
    """Prints a run that could not be stored."""
    print(visible(error.document.decode()))
    if output_failure() is None:
        cure = (
            "it is printed as JSON: save that in a file, make room, and type ciphermark import FILE"
        )
    else:
        cure = "it could not be printed either, and is lost"
    say(f"{error}; {cure}")


def _run() -> int:
    with at_end:
        try:
            app(prog_name=NAME)
            code = 0
        except SystemExit as ended:  # typer's way of ending
            code = int(ended.code or 0)
    # Here, where an error can still be said in a sentence, and not when the interpreter ends.
    unwritten = output_failure()
    if unwritten is None or unwritten.failure is None:
        return code
    if not unwritten.is_told:
        raise unwritten.failure
    return code or 1
