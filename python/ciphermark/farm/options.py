"""Options of commands that use many machines, and what they mean together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ciphermark.command.options import flag, option

if TYPE_CHECKING:
    from ciphermark.farm.cluster import Reach

UnfitOption = Annotated[
    bool, flag("Also measure machines that doctor finds unfit.", "--even-unfit")
]


@dataclass
class ReachOptions:
    """How a cluster is reached."""

    scheduler: Annotated[
        str | None,
        option(
            "ADDRESS", "A running Dask scheduler: tls://farm:8786; tcp:// only on this machine."
        ),
    ] = None
    hosts: Annotated[
        Path | None,
        option("FILE", "Hosts to start workers on over SSH, one a line: user@host [python=PATH]."),
    ] = None
    local: Annotated[
        int | None, option("N", "N worker processes on this machine, to try it out.", min=1)
    ] = None
    tls_ca: Annotated[
        Path | None, option("FILE", "Certificate authority of the scheduler, PEM.")
    ] = None
    tls_cert: Annotated[Path | None, option("FILE", "This client's certificate, PEM.")] = None
    tls_key: Annotated[Path | None, option("FILE", "Its private key, PEM.")] = None

    def reach(self) -> Reach:
        """Returns how the cluster is reached.

        Raises UsageError unless exactly one way is given, and for what cannot be reached, before
        anything else is done.
        """
        from ciphermark.errors import UsageError
        from ciphermark.farm.cluster import Reach
        from ciphermark.farm.ssh import read_hosts
        from ciphermark.farm.tls import Tls, checked_address

        ways = {"--scheduler": self.scheduler, "--hosts": self.hosts, "--local": self.local}
        given = [option for option, value in ways.items() if value is not None]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} exclude each other: give one of them")
        if not given:
            raise UsageError("no machines are named: write --scheduler ADDRESS, or --hosts FILE")
        tls = Tls(self.tls_ca, self.tls_cert, self.tls_key)
        tls.check()
        if self.scheduler is not None:
            checked_address(self.scheduler, tls)
        if self.hosts is not None:
            read_hosts(self.hosts)
        return Reach(scheduler=self.scheduler, hosts=self.hosts, local=self.local, tls=tls)
