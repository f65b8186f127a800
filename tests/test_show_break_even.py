"""What is said and drawn of devices against the CPU."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import msgspec
import pytest
import vl_convert

from break_even_example import CPU, DEVICE, GPU, POCL, over_sizes
from ciphermark.view.plots import vegalite
from ciphermark.view.plots.panel import picture
from ciphermark.workloads.packets.break_even import break_even
from ciphermark.workloads.packets.break_even_table import break_even_blocks, document, sentences
from ciphermark.workloads.packets.plots import break_even_plot
from ciphermark.workloads.packets.row import PacketRow
from on_screen import blocks_on_screen

AF_ALG = dict(offload="af_alg", provider="af_alg", backend="default", device="kernel: ctr-aes")
CORES = dict(offload="cores", offload_cpus=[2, 3], device="CPUs 2, 3")


def table(rows: list[PacketRow], width: int = 160) -> str:
    return blocks_on_screen(break_even_blocks(break_even(rows)), width)


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
    assert "ciphermark packets --break-even --offload" in " ".join(
        table(over_sizes(DEVICE, **GPU)).split()
    )


def test_the_document_is_json_with_all_points() -> None:
    found = break_even(over_sizes(CPU) + over_sizes(DEVICE, **GPU))
    told = json.loads(msgspec.json.encode(document(found)))
    (comparison,) = told["break_even"]
    assert comparison["throughput"]["outcome"] == "from"
    assert [point["message_bytes"] for point in comparison["points"]] == [64, 256, 512, 1024, 1500]
    assert told["advice"]


def drawn(rows: list[PacketRow]) -> dict[str, Any]:
    return picture(break_even_plot(break_even(rows)), "a machine")


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
