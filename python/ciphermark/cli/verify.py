"""`ciphermark verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ciphermark.command.options import (
    BuildOptions,
    EngineOption,
    JsonOption,
    Only,
    SelectionOptions,
    flag,
    option,
)

if TYPE_CHECKING:
    from ciphermark import contract

VectorsOption = Annotated[
    Path | None, option("DIR", "Folder of vector files. Default: those of ciphermark.", "--vectors")
]


AllLengthsOption = Annotated[
    bool,
    flag(
        "Compare on every length from 0 to 4096 bytes instead of selected ones; takes minutes.",
        "--all-lengths",
    ),
]


def verify(
    vectors: VectorsOption = None,
    *,
    selected: Annotated[SelectionOptions, Only("algorithms", "providers")],
    builds: BuildOptions,
    all_lengths: AllLengthsOption = False,
    json: JsonOption = False,
    engine: EngineOption = None,
) -> None:
    """Run test vectors on every implementation, and compare all of them on random inputs.

    The verdict comes first. Exit code 1 when an implementation fails or disagrees; the smallest
    input that shows it is printed. Without --algorithms each library has one line. Vectors
    with a parameter that an implementation does not have count as unsupported, and the parameter
    is named. With --vectors only these are run, unless --all-lengths asks for both.
    """
    from ciphermark.plan.names import algorithm_names, check_usable, provider_names
    from ciphermark.plan.selection import read_builds
    from ciphermark.run.engine import Engine

    binary = Engine(engine)
    libraries = read_builds(builds.library or [], builds.kernel or [])
    chosen: tuple[list[str], list[str]] = ([], [])
    if selected.algorithms or selected.providers or libraries:
        facts = binary.describe(libraries)
        check_usable(list(libraries), facts)
        names = algorithm_names(selected.algorithms, facts)
        chosen = names, provider_names(selected.providers, facts)
    agreement: Literal["sample", "all"] | None = (
        "all" if all_lengths else "sample" if vectors is None else None
    )
    verification = binary.verify(vectors, *chosen, libraries, agreement)
    _show(verification, json, each=selected.algorithms is not None)
    if _is_bad(verification):
        raise typer.Exit(1)


def _is_bad(verification: contract.Verification) -> bool:
    agreement = verification.agreement
    differ = agreement is not None and (agreement.disagreements or agreement.failures)
    broken = any(result.error for result in verification.results)
    return bool(verification.failed or broken or differ)


def _show(verification: contract.Verification, json: bool, *, each: bool) -> None:
    if json:
        from ciphermark.command.output import print_json

        print_json(verification)
        return
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console
    from ciphermark.view.verification import blocks

    show(output_console(), blocks(verification, each=each))
