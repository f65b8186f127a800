"""No tunnel: the gateways forward packets as they are."""

from __future__ import annotations

from ciphermark.run.tunnels.bed import GATEWAY_1, GATEWAY_2, Bed, network_of
from ciphermark.run.tunnels.kinds.kind import NULL, Kind, Laid, kernel_version


class Plain(Kind):
    name = "plain"
    title = "plain forwarding"
    in_kernel = True
    suites = (NULL,)
    usual = (NULL,)
    most_bytes_added = 0

    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        near, far = bed.links[1].addresses
        for from_, to in tunnels:
            bed.route(GATEWAY_1, network_of(to), "via", far)
            bed.route(GATEWAY_2, network_of(from_), "via", near)
        return Laid(kernel_version())


PLAIN = Plain()
