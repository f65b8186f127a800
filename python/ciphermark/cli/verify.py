"""`ciphermark verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.cli.options import AlgorithmsOption, EngineOption, JsonOption, ProvidersOption

if TYPE_CHECKING:
    from ciphermark.record import contract

VectorsOption = Annotated[
    Path | None,
    typer.Option(
        "--vectors",
        metavar="DIR",
        help="Folder of vector files; those that come with ciphermark otherwise.",
    ),
]


def verify(
    vectors: VectorsOption = None,
    algorithms: AlgorithmsOption = None,
    providers: ProvidersOption = None,
    json: JsonOption = False,
    engine: EngineOption = None,
) -> None:
    """Run test vectors on every implementation.

    Exit code 1 when one fails. Vectors with a parameter that an implementation does not have
    count as unsupported, and the parameter is named.
    """
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.naming import algorithm_names, provider_names

    binary = Engine(engine)
    if algorithms or providers:
        facts = binary.describe()
        verification = binary.verify(
            vectors, algorithm_names(algorithms, facts), provider_names(providers, facts)
        )
    else:
        verification = binary.verify(vectors)
    _show(verification, json)
    if verification.failed or any(result.error for result in verification.results):
        raise typer.Exit(1)


def _show(verification: contract.Verification, json: bool) -> None:
    if json:
        from ciphermark.cli.output import print_json

        print_json(verification)
        return
    from ciphermark.show.terminal import output_console
    from ciphermark.show.verification import render

    output_console().print(render(verification))
