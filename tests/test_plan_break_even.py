"""What is measured to find out where devices beat the CPU."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark import contract
from ciphermark.plan import planfile, selection
from ciphermark.plan.build import Built, build
from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.planfile import Effort, PlanFile
from ciphermark.plan.sampling import expected_seconds
from ciphermark.workloads.packets.plan import break_even_loads
from here_example import TWO, cores, here
from lent_engine import all_algorithms, description, implementation, provider

EIGHT = cores(8)
PLAN = planfile.default("packets-break-even").at("usual")


def with_everything() -> contract.Description:
    """A machine that has all devices, and kernels of our own that are not the fastest.

    The Linux kernel has no UEA1.
    """
    facts = description()
    having = {"uea1": ("kernels", "opencl"), "aes-128-ctr": ("kernels", "opencl", "af_alg")}
    facts.providers += [provider(it) for it in having["aes-128-ctr"]]
    facts.implementations += [
        implementation(algorithm, name)
        for algorithm in all_algorithms()
        for name in having.get(algorithm.name, ())
    ]
    for it in facts.implementations:
        if it.provider == "kernels":
            it.most_lanes = 4096
    return facts


def built(file: PlanFile, cpus: Cpus = EIGHT, **given: Any) -> Built:
    chosen = selection.Selection(loads=break_even_loads(given, cpus))
    chosen.fastest = {(it, "encrypt"): "openssl" for it in ("uea1", "aes-128-ctr")}
    return build(file, chosen, with_everything(), here(cpus))


def load_of(case: contract.Case) -> tuple[Any, ...]:
    """What a device and its rival must have in common."""
    load = case.packets
    return (case.algorithm, case.message_bytes, load.packets, tuple(load.cpus), load.batch)


@pytest.mark.parametrize("cpus", [TWO, EIGHT], ids=["two", "eight"])
@pytest.mark.parametrize("effort", ["quick", "usual"])
def test_all_devices_fit_into_the_budget(effort: Effort, cpus: Cpus) -> None:
    file = planfile.default("packets-break-even").at(effort)
    plan = built(file, cpus).plan
    assert len(plan.cases) <= file.max_cases
    assert expected_seconds(plan) <= plan.budget_s == file.budget_s


@pytest.mark.parametrize("cpus", [TWO, EIGHT], ids=["two", "eight"])
def test_every_device_has_a_rival(cpus: Cpus) -> None:
    cases = built(PLAN, cpus).plan.cases
    rivals = {load_of(case) for case in cases if case.offload == "none"}
    devices = [case for case in cases if case.offload != "none"]
    assert {case.offload for case in devices} == {"cores", "opencl", "af_alg"}
    assert {load_of(case) for case in devices} <= rivals


def test_packets_go_by_all_sizes_batches_and_numbers_in_flight() -> None:
    cases = built(PLAN).plan.cases
    opencl = [it for it in cases if it.offload == "opencl" and it.algorithm == "uea1"]
    assert {it.message_bytes for it in opencl} == {64, 256, 512, 1500}
    told = {(it.packets.batch, it.packets.in_flight) for it in opencl}
    assert told == {(32, 4), (256, 4), (256, 1)}


def test_lanes_take_part_beside_the_fastest_library() -> None:
    cases = built(PLAN).plan.cases
    alone = {(it.provider, it.lanes) for it in cases if it.offload == "none"}
    assert alone == {("openssl", 1), ("kernels", 32), ("kernels", 256)}


def test_a_device_that_is_named_gets_its_rival() -> None:
    cases = built(PLAN, offload=("opencl",)).plan.cases
    assert {it.offload for it in cases} == {"none", "opencl"}
    assert break_even_loads({"offload": ("cores", "none")}, EIGHT)["offload"] == ("cores", "none")


def test_of_two_cpus_the_one_that_submits_is_the_device() -> None:
    cases = [it for it in built(PLAN, TWO).plan.cases if it.offload == "cores"]
    assert {(*it.packets.cpus, *it.offload_cpus) for it in cases} == {(0, 1)}
    assert break_even_loads({"offload_cpus": "0"}, TWO)["offload_cpus"] == "0"
    assert "offload_cpus" not in break_even_loads({"cores": (2,)}, TWO)
