"""`ciphermark site`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import JsonOption, OpenOption, RunsOption, flag, option
from ciphermark.command.output import opened, print_json, say

if TYPE_CHECKING:
    from ciphermark.record.store import Store

OutArgument = Annotated[
    Path,
    typer.Argument(metavar="OUT", help="Folder of the site: new, empty, or one written before."),
]
ReportsOption = Annotated[
    str | None,
    option(
        "N",
        "Write whole reports for the N newest runs, or for `all`; the others have their figures. "
        "Default: 50.",
        "--reports",
    ),
]


def usual_folder(store: Store) -> Path:
    """Returns the folder of a store's site where none is named."""
    from ciphermark.files import user_folders
    from ciphermark.site.state import place_of

    return user_folders.cache_folder() / "sites" / place_of(store.place)


def site(
    out: OutArgument,
    reports: ReportsOption = None,
    anonymous: Annotated[
        bool,
        flag(
            "Leave out names of hosts and users, addresses and paths; everything is written again.",
            "--anonymous",
        ),
    ] = False,
    open_: OpenOption = False,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Write the stored runs as a site: a folder of pages for any web server, or to open as files.

    The pages list runs with search, and show machines, functions and studies.
    In an existing site only pages that changed are written. `--anonymous` leaves out the names that
    `ciphermark export --anonymous` leaves out, and writes every page again. Exit code 1
    when a run was left out.
    """
    from ciphermark.plan.quantities import count_or_all
    from ciphermark.record.store import Store
    from ciphermark.site import build

    wanted = build.REPORTS if reports is None else count_or_all(reports, "--reports")
    store = Store.default(runs)
    if anonymous:
        built = build.build_anonymous(store, out, wanted, say)
    else:
        built = build.build(store, runs, out, wanted, say)
    for problem in built.problems:
        say(problem)
    if json:
        print_json(built)
    else:
        print(built.index)
    if open_:
        opened(Path(built.index))
    if built.problems:
        raise typer.Exit(1)
