"""What is said and drawn of devices against the CPU."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import altair as alt
import msgspec
import pytest
import vl_convert
from rich.console import Console

from break_even_example import CPU, DEVICE, GPU, POCL, over_sizes, packet_row
from ciphermark.show.plots import vegalite
from ciphermark.show.plots.panel import picture
from ciphermark.workloads.latency import Latencies
from ciphermark.workloads.packets.break_even import break_even
from ciphermark.workloads.packets.break_even_table import document, print_break_even, sentences
from ciphermark.workloads.packets.cores import CoresNeeded, Wishes, cores_needed, print_cores_needed
from ciphermark.workloads.packets.plots import break_even_plot
from ciphermark.workloads.packets.row import PacketRow
from on_screen import on_screen
from survey_example import survey_example

AF_ALG = dict(offload="af_alg", provider="af_alg", backend="default", device="kernel: ctr-aes")
CORES = dict(offload="cores", offload_cpus=[2, 3], device="CPUs 2, 3")


def printed(write: Callable[[Console], None], width: int = 160) -> str:
    return "\n".join(line.rstrip() for line in on_screen(write, width=width).splitlines())


def table(rows: list[PacketRow], width: int = 160) -> str:
    return printed(lambda console: print_break_even(console, break_even(rows)), width)


def advice(device: list[PacketRow], cpu: list[PacketRow] | None = None) -> str:
    """The one sentence on a device."""
    return next(sentences(break_even([*(cpu or over_sizes(CPU)), *device])))


def test_a_break_even_is_said_with_its_interval_and_what_it_frees() -> None:
    said = advice(over_sizes(DEVICE, **GPU))
    assert said.startswith("uea1 encrypt: opencl (GPU: Example (driver 1)) is faster from 225 B on")
    assert "(95 %: 221 B to 229 B) with batches of 32, 1 in flight" in said
    assert "and frees 10 200 CPU cycles of a packet of 1500 B, 6.80 a byte" in said


def test_never_is_said_where_that_is_so() -> None:
    said = advice(over_sizes((9000.0, 12.0), **AF_ALG))
    assert "is never faster: at best, with batches of 32, 1 in flight" in said
    assert "11.6 times (64 B) and 1.78 times (1500 B) that of the CPU" in said
    assert "; it never frees CPU time. On the CPU, kernels · table is the fastest" in said


@pytest.mark.parametrize(
    ("device", "said"),
    [
        ((100.0, 2.0), "is faster at every size that was measured (64 B to 1500 B) with"),
        ((20_000.0, 2.0), "is not faster within what was measured (64 B to 1500 B; the fitted"),
        ((20_000.0, 2.0), "would meet at about 2 4"),
        ((100.0, 11.0), "is faster up to 100 B (95 %:"),
        ((201.0, 10.0), "is neither faster nor the opposite at any size, within the uncertainty,"),
    ],
)
def test_each_outcome_has_its_words(device: tuple[float, float], said: str) -> None:
    assert said in advice(over_sizes(device, **GPU))


def test_sizes_that_are_not_told_apart_are_named() -> None:
    sizes = dict(sizes=(64, 256, 1500), half=0.1)
    said = advice(over_sizes(DEVICE, **sizes, **GPU), over_sizes(CPU, **sizes))
    assert "(at 256 B the difference is within the uncertainty)" in said


def test_batches_that_never_pay_are_named_beside_those_that_do() -> None:
    cpu = over_sizes(CPU) + over_sizes(CPU, batch=512)
    device = over_sizes((9000.0, 11.0), **GPU) + over_sizes(DEVICE, batch=512, **GPU)
    said = advice(device, cpu)
    assert "with batches of 512, 1 in flight, never with batches of 32, 1 in flight" in said


def test_of_a_cpu_behind_opencl_it_is_said_instead() -> None:
    rows = over_sizes(CPU) + over_sizes(DEVICE, **POCL)
    (said,) = sentences(break_even(rows))
    assert said.startswith("opencl (CPU: Example (PoCL 3.1)) is the CPU itself")
    assert "give no break-even" in said
    text = table(rows)
    assert "is the CPU  " in text
    assert "225 B" not in text


def test_cores_are_said_to_be_cpu_time() -> None:
    found = [*sentences(break_even(over_sizes(CPU) + over_sizes(DEVICE, **CORES)))]
    assert "it leaves its use of CPU time unknown" in found[0]
    assert "The device cores consists of CPUs 2-3 of this machine: its working time" in found[1]


def test_a_line_of_the_table_has_both_break_evens() -> None:
    text = table(over_sizes(CPU) + over_sizes(DEVICE, **GPU))
    line = next(line for line in text.splitlines() if line.startswith("opencl"))
    assert line.split("   ")[-1].strip() == "6.80"
    assert line.count("225 B") == 2
    assert line.count("221 B to 229 B") == 2


def test_open_ends_are_no_figures() -> None:
    sizes = dict(sizes=(128, 512, 1500), half=0.6)
    text = table(over_sizes(CPU, **sizes) + over_sizes(DEVICE, **sizes, **GPU))
    assert "less than measured to " in text


def test_without_a_rival_it_is_said_what_to_type() -> None:
    assert "ciphermark packets --break-even --offload" in table(over_sizes(DEVICE, **GPU))


def wanted(**wishes: float) -> list[CoresNeeded]:
    """Of the CPU alone on up to four cores, a device, and cores that are one."""
    latency = Latencies(p50=1000, p90=2000, p99=8000, p999=9000)
    rows = [
        packet_row(1500, 3000 / count, cpus=list(range(count)), latency_ns=latency, **fields)
        for count, fields in ((1, {}), (2, {}), (4, {}), (1, CORES))
    ]
    rows.append(packet_row(1500, 500, latency_ns=latency, **GPU))
    return cores_needed(rows, Wishes(**wishes), machine_cores=16)


def test_the_fewest_cores_are_said_with_what_the_others_keep() -> None:
    text = printed(lambda console: print_cores_needed(console, wanted(rate_per_s=3.2e6)), 400)
    assert "Fewest cores for 3 200 000 packets/s" in text
    assert (
        "uea1 encrypt 1500 B, 3 200 000 packets/s: the CPU alone needs 4 cores and leaves" in text
    )
    assert "opencl (GPU: Example (driver 1)) needs 1 core and leaves 15 of 16 to others" in text
    assert "other cores with kernels is not enough, 1 core reached 1 000 000 packets/s" in text
    assert "~4" in text
    assert "~ no measured number of cores is enough" in text


def test_a_latency_says_under_which_load() -> None:
    text = printed(lambda console: print_cores_needed(console, wanted(p99_ns=20_000)), 400)
    assert "Fewest cores for a p99 within 20.0 µs with the queue kept full" in text
    assert (
        "other cores with kernels needs 1 core and 2 more as the device and leaves 13 of 16" in text
    )
    none = printed(lambda console: print_cores_needed(console, wanted(p99_ns=2000)), 400)
    assert "the CPU alone is not enough, 4 cores reached 8.00 µs" in none
    assert "~4" not in none


def test_nothing_is_printed_without_a_wish() -> None:
    assert printed(lambda console: print_cores_needed(console, [])) == ""


def test_the_document_is_json_with_all_points() -> None:
    found = break_even(over_sizes(CPU) + over_sizes(DEVICE, **GPU))
    told = json.loads(msgspec.json.encode(document(found, wanted(rate_per_s=3.2e6))))
    (comparison,) = told["break_even"]
    assert comparison["throughput"]["outcome"] == "from"
    assert [point["message_bytes"] for point in comparison["points"]] == [64, 256, 512, 1024, 1500]
    assert told["advice"]
    assert {it["offload"] for it in told["cores_needed"]} == {"none", "opencl", "cores"}
    assert "cores_needed" not in document(found, [])


def drawn(rows: list[PacketRow]) -> dict[str, Any]:
    run, _ = survey_example(["aes-128-gcm"])
    it = break_even_plot(break_even(rows))
    return picture(it, [panel.spec() for panel in it.panels(run.context, [], [])], run.context, [])


@pytest.mark.slow
def test_the_crossing_is_marked_in_a_valid_picture() -> None:
    spec = drawn(over_sizes(CPU) + over_sizes(DEVICE, **GPU))
    alt.Chart.from_dict(spec, validate=True)
    svg = vl_convert.vegalite_to_svg(spec, vl_version=vegalite.VERSION)
    assert "225 B" in svg
    assert "uea1 encrypt, CPU 0, batches of 32, 1 in flight" in svg
    (mark,) = spec["datasets"]["crossing_0"]
    assert mark["low"] < mark["number"] < mark["high"]


@pytest.mark.parametrize("device", [POCL, AF_ALG])
def test_without_a_crossing_none_is_marked(device: dict[str, Any]) -> None:
    cost = DEVICE if device is POCL else (9000.0, 12.0)
    spec = drawn(over_sizes(CPU) + over_sizes(cost, **device))
    assert "crossing_0" not in spec["datasets"]
    assert device["device"] in vl_convert.vegalite_to_svg(spec, vl_version=vegalite.VERSION)
