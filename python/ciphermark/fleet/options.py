"""Options of `ciphermark fleet` alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StudyOption = Annotated[
    str | None,
    typer.Option("--study", metavar="NAME", help="A published study; else a survey is measured."),
]
QuickOption = Annotated[bool, typer.Option("--quick", help="The survey or the study at its least.")]
AllOption = Annotated[bool, typer.Option("--all", help="The survey of everything.")]
FullOption = Annotated[bool, typer.Option("--full", help="All that the study can measure.")]
PlanOption = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", help="A survey by a plan of your own (TOML)."),
]
GivenOption = Annotated[
    str | None,
    typer.Option("--given", metavar="NAME=NUMBER,...", help="What a study asks for: price=120."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, max=2**53, help="Seed of inputs and order on all machines."),
]
PatienceOption = Annotated[
    str,
    typer.Option(
        "--patience", metavar="TIME", help="How long a machine that says nothing is waited for."
    ),
]
FleetArgument = Annotated[
    str,
    typer.Argument(metavar="FLEET", help="A fleet: `last`, its identifier, or a part of it."),
]
