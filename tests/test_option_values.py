"""What is no value of an option: whoever reads it names the option, the value and what to type.

The readers are asked by themselves. Of each command one refusal is asked through all of it, in
test_bad_input_survey.py, test_bad_input_loads.py, test_esp_command.py and test_tunnel_command.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ciphermark.command.options import LoadOptions, OffloadOptions
from ciphermark.errors import UsageError
from ciphermark.plan import manner
from ciphermark.plan.selection import from_options
from ciphermark.workloads import load_options
from ciphermark.workloads.packets.options import PacketOptions
from ciphermark.workloads.sessions.options import SessionOptions
from ciphermark.workloads.suites.plan import check_operations, suite_names
from ciphermark.workloads.tunnel.plan import Load, load, plan
from lent_engine import description, in_groups

FACTS = description()

MANNERS = ("pattern", "chunk", "lanes", "keys", "buffers", "after")


def of_manners(**typed: str) -> object:
    read = manner.from_options(*(typed.get(name) for name in MANNERS))
    return read and read.all()


def of_sessions(**typed: str) -> object:
    return load_options.of_sessions(*in_groups(typed, SessionOptions, LoadOptions, OffloadOptions))


def of_packets(**typed: str) -> object:
    return load_options.of_packets(*in_groups(typed, PacketOptions, LoadOptions, OffloadOptions))


def of_suites(suites: str = "all", operations: str = "seal") -> object:
    check_operations(operations.split(","))
    return suite_names(suites, FACTS)


def of_tunnels(**typed: Any) -> object:
    return plan(Load(), **typed)


REFUSED: dict[Callable[..., object], list[tuple[dict[str, Any], str]]] = {
    from_options: [
        ({"algorithms": ","}, "--algorithms ',' names nothing"),
        ({"providers": ""}, "--providers '' names nothing"),
        ({"sizes": "many"}, "'many' is not a message size: write bytes"),
        ({"sizes": "9" * 5000}, "is not a message size"),
        ({"sizes": "64", "profile": "imix"}, "--sizes and --profile exclude each other: give one"),
        ({"profile": "imx"}, "no profile 'imx'; near: imix"),
        ({"precision": "nan"}, "--precision nan is not above 0"),
        ({"budget": "soon"}, "--budget 'soon' is not a time up to a day: write 60s or 2m"),
        ({"cpus": "0,1"}, "--cpus '0,1' is not the number of one CPU"),
        *(
            ({"library": [text]}, "is not PROVIDER=PATH")
            for text in ("openssl", "openssl=", "=/opt/x.so", "")
        ),
    ],
    of_manners: [
        ({"pattern": "oneshot"}, "no pattern 'oneshot'; near: one-shot"),
        ({"buffers": "l3"}, "no kind of buffers 'l3'"),
        ({"buffers": "hot,repeated"}, "--buffers repeated goes with --pattern incremental only"),
        ({"keys": "0"}, "--keys '0' is not a number from 1"),
        ({"keys": "many"}, "--keys 'many' is not a number"),
        ({"lanes": "1e9"}, "--lanes '1e9' is not a number from 1 to 4096"),
        ({"lanes": "4", "pattern": "one-shot"}, "goes with one of --lanes"),
        ({"lanes": "4", "keys": "3"}, "must divide that of --lanes"),
        ({"chunk": "-1"}, "--chunk '-1' is not a number"),
        *(
            ({"after": "sha256"} | unlike, "--after sha256 measures one hot message per call")
            for unlike in (
                *({"lanes": "8"}, {"buffers": "stream"}, {"pattern": "rekeyed"}, {"keys": "10"}),
            )
        ),
    ],
    of_sessions: [
        ({"sessions": "0"}, "--sessions '0' is not a number from 1 to 1000000: write for example"),
        ({"sessions": "-5"}, "--sessions '-5' is not a number from 1 to 1000000"),
        ({"sessions": "1,x"}, "--sessions 'x' is not a number"),
        ({"sessions": "1.5"}, "--sessions '1.5' is not a number"),
        ({"placement": "loose"}, "there is no placement 'loose'; see: free, fixed"),
        ({"threads": "per-core"}, "no way to have threads 'per-core'; near: per-cpu"),
        ({"contexts": "common"}, "there is no kind of contexts 'common'"),
        ({"policy": "fifo"}, "no scheduling policy 'fifo'; see: other, batch, idle"),
        ({"nice": "20"}, "--nice '20' is not a number from -20 to 19"),
        ({"quota": "0"}, "--quota '0' is not a number above 0: write for example 0.5"),
        ({"neighbours": "many"}, "--neighbours 'many' is not a number from 0"),
        ({"attempts": "0"}, "--attempts '0' is not a number from 1 to 10"),
        ({"duration": "0"}, "--duration '0' is not a time up to a day: write 60s or 2m"),
        ({"window": "3"}, "--window '3' is not from one time to another: write 0.5s-4s"),
        ({"life": "2s-1s"}, "--life '2s-1s' does not go from a shorter one"),
        ({"life": "0"}, "--life '0' is not a time"),
    ],
    of_packets: [
        ({"packets": "0"}, "--packets '0' is not a number from 1 to 1000000"),
        ({"packets": "1000001"}, "--packets '1000001' is not a number"),
        ({"packets": "9" * 3000}, "is not a number from 1 to"),
        ({"packets": ""}, "--packets '' is not a number"),
        ({"keys": "0"}, "--keys '0' is not a number from 1 to"),
        ({"priorities": "9"}, "--priorities '9' is not a number from 1 to 8"),
        ({"rate": "-1"}, "--rate '-1' is not a number above 0"),
        ({"in_flight": "0"}, "--in-flight '0' is not a number from 1"),
        ({"cores": "0"}, "--cores '0' is not a number from 1 to"),
        ({"cores": "some"}, "--cores 'some' is not a number from 1 to"),
        ({"batch": "5000"}, "--batch '5000' is not a number from 1 to 4096"),
        ({"delivery": "odered"}, "no order of delivery 'odered'; near: ordered"),
        ({"architecture": "pipeline"}, "no architecture 'pipeline'; near: "),
        ({"waiting": "spin"}, "no way of waiting 'spin'; see: poll, block"),
        ({"key_setup": "once"}, "no key setup 'once'"),
        ({"offload": "gpu"}, "no offload 'gpu'; see: none, cores, opencl, af_alg"),
        ({"flush": "soon"}, "--flush 'soon' is not a time"),
    ],
    of_suites: [
        ({"suites": "esp:aes-129-gcm"}, "there is no suite or protocol"),
        ({"operations": "mac"}, "suites have no operation mac"),
    ],
    load: [
        ({"rate": "1M", "all_rate": "1M"}, "give one of them"),
        ({"tunnels": "65"}, "from 1 to 64"),
        ({"duration": "2m"}, "--duration 60s"),
        ({"mtu": "100"}, "from 576"),
    ],
    of_tunnels: [
        ({"kinds": "ipip"}, "no kind of tunnel"),
        ({"suites": "rot13"}, "no suite of a tunnel"),
        ({"kinds": "wireguard", "suites": "aes-128-gcm"}, "none of these kinds"),
        ({"kinds": "tls", "traffic": "udp"}, "carry no udp"),
        ({"sizes": "20"}, "40 at least"),
        ({"sizes": "9000"}, "link takes 1500"),
        ({"sizes": "64", "profile": "imix"}, "exclude each other"),
        ({"traffic": "sctp"}, "no traffic"),
    ],
}


@pytest.mark.parametrize(
    ("read", "typed", "said"),
    [(read, *row) for read, rows in REFUSED.items() for row in rows],
    ids=lambda value: getattr(value, "__name__", str(value))[:40],
)
def test_what_is_no_value_is_refused(
    read: Callable[..., object], typed: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        read(**typed)
    assert said in str(refusal.value)
