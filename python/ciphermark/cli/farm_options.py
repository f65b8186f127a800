"""Options of commands that use many machines, spelt once, and what they mean together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ciphermark.measure.farm.cluster import Reach

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


def reach(
    scheduler: str | None,
    hosts: Path | None,
    local: int | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> Reach:
    """How the cluster is reached. Raises UsageError unless exactly one way is given."""
    from ciphermark.errors import UsageError
    from ciphermark.measure.farm.cluster import Reach
    from ciphermark.measure.farm.tls import Tls

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
    return Reach(scheduler=scheduler, hosts=hosts, local=local, tls=tls)
