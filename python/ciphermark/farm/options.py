"""Options of commands that use many machines, spelt once, and what they mean together."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ciphermark.farm.cluster import Reach

SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="A Dask scheduler that is running: tls://farm:8786; tcp:// on this machine only.",
    ),
]
HostsOption = Annotated[
    Path | None,
    typer.Option(
        "--hosts",
        metavar="FILE",
        help="Hosts to start workers on over SSH, one a line: user@host [python=PATH].",
    ),
]
LocalOption = Annotated[
    int | None,
    typer.Option("--local", metavar="N", min=1, help="N worker processes here, for trial."),
]
TlsCaOption = Annotated[
    Path | None,
    typer.Option("--tls-ca", metavar="FILE", help="Certificate authority of the scheduler, PEM."),
]
TlsCertOption = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="FILE", help="This client's certificate, PEM.")
]
TlsKeyOption = Annotated[
    Path | None, typer.Option("--tls-key", metavar="FILE", help="Its private key, PEM.")
]


UnfitOption = Annotated[
    bool, typer.Option("--even-unfit", help="Measure also where doctor finds a machine unfit.")
]

OPTIONS: dict[str, Any] = {
    "scheduler": SchedulerOption,
    "hosts": HostsOption,
    "local": LocalOption,
    "tls_ca": TlsCaOption,
    "tls_cert": TlsCertOption,
    "tls_key": TlsKeyOption,
}
"""How a cluster is reached, in the order of `reach`."""

Command = Callable[..., None]


def reaching(else_here: bool = False) -> Callable[[Command], Command]:
    """Gives a command these options in the place of its parameter `reach`, which it gets made of
    them: with `else_here` the cores of this machine where no way is given."""

    def decorated(command: Command) -> Command:
        @functools.wraps(command)
        def with_options(**chosen: Any) -> None:
            given = {name: chosen.pop(name) for name in OPTIONS}
            if else_here and all(given[it] is None for it in ("scheduler", "hosts", "local")):
                given["local"] = len(os.sched_getaffinity(0))
            command(**chosen, reach=reach(**given))

        own = inspect.signature(command, eval_str=True, locals={"Reach": object}).parameters
        parameters = [
            it.replace(kind=it.POSITIONAL_OR_KEYWORD)
            for name in own
            for it in (_PARAMETERS if name == "reach" else [own[name]])
        ]
        with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {it.name: it.annotation for it in parameters}
        return with_options

    return decorated


_PARAMETERS = [
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
    for name, option in OPTIONS.items()
]


def reach(
    scheduler: str | None,
    hosts: Path | None,
    local: int | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> Reach:
    """How the cluster is reached. Raises UsageError unless exactly one way is given, and for what
    cannot be reached, before anything else is done."""
    from ciphermark.errors import UsageError
    from ciphermark.farm import hosts as hosts_file
    from ciphermark.farm.cluster import Reach
    from ciphermark.farm.tls import Tls, checked_address

    ways = {"--scheduler": scheduler, "--hosts": hosts, "--local": local}
    given = [option for option, value in ways.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} exclude each other: give one of them")
    if not given:
        raise UsageError(
            "where are the machines? Give --scheduler ADDRESS, --hosts FILE, or --local 2 for trial"
        )
    tls = Tls(tls_ca, tls_cert, tls_key)
    tls.check()
    if scheduler is not None:
        checked_address(scheduler, tls)
    if hosts is not None:
        hosts_file.read(hosts)
    return Reach(scheduler=scheduler, hosts=hosts, local=local, tls=tls)
