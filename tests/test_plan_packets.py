"""How packets pass, what fits, and the cases that come of a plan."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ciphermark import contract
from ciphermark.command.options import LoadOptions, OffloadOptions
from ciphermark.errors import UsageError
from ciphermark.plan import planfile, selection
from ciphermark.plan.build import Built, build
from ciphermark.plan.cpu_sets import Cpus, Here
from ciphermark.plan.loads import PacketLoads
from ciphermark.plan.sampling import expected_seconds
from ciphermark.studies import registry
from ciphermark.workloads import load_options
from ciphermark.workloads.choosing import choose_fastest
from ciphermark.workloads.packets import plan as packet_plan
from ciphermark.workloads.packets.options import PacketOptions
from ciphermark.workloads.packets.plan import Wanted, submitting_cpu, wanted
from here_example import TWO, here
from lent_engine import (
    LentEngine,
    all_algorithms,
    description,
    implementation,
    in_groups,
    provider,
    with_device,
)

FOUR = Cpus(allowed=[0, 1, 2, 3], cores=[[0, 2], [1, 3]])
ONE = Cpus(allowed=[5])


def combined(
    loads: dict[str, Any], cpus: Cpus = TWO, operation: str = "encrypt"
) -> tuple[list[Wanted], list[str]]:
    return wanted(PacketLoads(**loads), [operation], cpus)


def loads(**options: Any) -> dict[str, Any]:
    return load_options.of_packets(*in_groups(options, PacketOptions, LoadOptions, OffloadOptions))


COMMON = ("algorithms", "providers", "operations", "sizes", "profile", "budget")


def built(
    facts: contract.Description | None = None,
    machine: Here | None = None,
    name: str = "packets",
    **options: Any,
) -> Built:
    """The plan of these options, spelt as people type them."""
    chosen = selection.from_options(
        **{name: options.pop(name) for name in COMMON if name in options}
    )
    chosen.loads = loads(**options)
    return build(planfile.default(name), chosen, facts or description(), machine or here())


def loads_of(plan: Built) -> list[contract.PacketLoad]:
    return [case.packets for case in plan.plan.cases if case.packets is not None]


def with_lanes(most: int) -> contract.Description:
    """What is here when OpenSSL has another backend for UEA1 that takes so many packets."""
    facts = description()
    (uea1,) = (it for it in all_algorithms() if it.name == "uea1")
    several = implementation(uea1, "openssl", "bytesliced-avx2", default=False)
    several.most_lanes = most
    facts.implementations.append(several)
    return facts


class TestCombinations:
    def test_every_combination_is_one_and_packets_change_quickest(self) -> None:
        found, left_out = combined({"packets": (10, 20), "cores": (1, 2), "batch": (1, 32)})
        told = [(len(it.load.cpus), it.batch, it.load.packets) for it in found]
        assert told[:3] == [(1, 1, 10), (1, 1, 20), (1, 32, 10)]
        assert len(told) == 8 and left_out == []

    def test_one_cpu_processes_unless_told_otherwise(self) -> None:
        (found,), _ = combined({})
        assert (found.load.cpus, found.load.submit_cpu) == ([0], 1)

    def test_all_and_a_number_that_means_the_same_are_one(self) -> None:
        assert len(combined({"cores": (2, "all")})[0]) == 1
        assert [it.load.cpus for it in combined({"cores": "each"}, FOUR)[0]] == [
            *([0], [0, 1], [0, 1, 2], [0, 1, 2, 3])
        ]

    @pytest.mark.parametrize(
        ("processing", "cpus", "submits"),
        [([0], FOUR, 1), ([0, 1], FOUR, 2), ([0, 1, 2, 3], FOUR, 3), ([5], ONE, 5)],
    )
    def test_who_submits_processes_none_where_there_is_another(
        self, processing: list[int], cpus: Cpus, submits: int
    ) -> None:
        assert submitting_cpu(processing, cpus) == submits

    def test_more_cores_than_there_are_are_left_out_and_said(self) -> None:
        found, left_out = combined({"cores": (1, 4)})
        assert [it.load.cpus for it in found] == [[0]]
        assert left_out == [
            "4 cores cannot process packets where 2 are allowed: write at most --cores 2"
        ]
        found, left_out = combined({"cpus": ("0", "0-3")})
        assert len(found) == 1 and "CPUs 2-3 are not there" in left_out[0]
        with pytest.raises(UsageError, match="8 cores cannot process packets where 2 are allowed"):
            combined({"cores": (8,)})

    def test_two_operations_are_one_with_what_undoes_it(self) -> None:
        (found,), _ = combined({}, operation="seal+open")
        assert (found.operation, found.load.then) == ("seal", "open")

    def test_groups_are_sets_of_the_cpus_that_process(self) -> None:
        (found,), _ = combined({"cores": (2,), "groups": ("0", "1")})
        assert found.load.groups == [[0], [1]]
        with pytest.raises(
            UsageError, match="the CPUs 1 of groups do not process packets, which 0 do: "
        ):
            combined({"cores": (1,), "groups": ("1",)})
        with pytest.raises(UsageError, match="--group '3-1' begins with the higher"):
            combined({"groups": ("3-1",)})

    @pytest.mark.parametrize(
        ("loads", "said"),
        [
            ({"queue_batches": 63}, "--queue 63 is no power of two: write 32 or 64"),
            ({"lanes": (64,), "batch": (32,)}, "64 lanes are more than a batch of 32: write"),
            ({"keys": (1,), "groups": ("0", "1")}, "2 groups need as many flows, and there are 1"),
            ({"architecture": ("free-pipeline",)}, "free-pipeline needs two operations"),
        ],
    )
    def test_what_does_not_go_together_is_refused(self, loads: dict[str, Any], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            combined(loads)

    def test_a_pinned_pipeline_needs_two_cpus(self) -> None:
        pinned = {"architecture": ("pinned-pipeline",), "cores": (1, 2)}
        found, left_out = combined(pinned, operation="encrypt+decrypt")
        assert [len(it.load.cpus) for it in found] == [2]
        assert "pinned-pipeline needs two CPUs" in left_out[0]


class TestOffloads:
    def test_cores_that_are_the_device_are_those_with_nothing_to_do(self) -> None:
        (found,), _ = combined({"offload": ("cores",), "in_flight": (4,)}, FOUR)
        assert (found.load.cpus, found.load.submit_cpu) == ([0], 1)
        assert found.offload_cpus == [2, 3] and found.load.in_flight == 4

    def test_without_a_cpu_left_the_others_still_run(self) -> None:
        found, left_out = combined({"offload": ("none", "cores")})
        assert [it.offload for it in found] == ["none"]
        assert left_out == [
            "the offload cores has no CPU left where 0 process packets and 1 submits them: name "
            "some of 0-1 with --offload-cpus, or fewer --cores"
        ]
        named, _ = combined({"offload": ("cores",), "offload_cpus": "1"})
        assert named[0].offload_cpus == [1]

    def test_several_in_flight_are_of_devices_only(self) -> None:
        found, _ = combined({"offload": ("none", "opencl"), "in_flight": (1, 8)})
        assert [(it.offload, it.load.in_flight) for it in found] == [
            *(("none", 1), ("opencl", 1), ("opencl", 8))
        ]

    def test_a_device_does_one_operation_with_keys_that_it_keeps(self) -> None:
        with pytest.raises(UsageError, match="opencl does one operation per packet"):
            combined({"offload": ("opencl",)}, operation="encrypt+decrypt")
        with pytest.raises(UsageError, match="opencl keeps its keys: write --key-setup cached"):
            combined({"offload": ("opencl",), "key_setup": ("per-packet",)})

    def test_a_device_is_the_provider_of_its_name(self) -> None:
        plan = built(with_device("opencl"), algorithms="uea1", sizes="64", offload="none,opencl")
        told = [(it.provider, it.offload) for it in plan.plan.cases]
        assert sorted(set(told)) == [("opencl", "opencl"), ("openssl", "none")]
        alone = built(with_device("opencl"), algorithms="uea1", offload="opencl")
        assert {it.provider for it in alone.plan.cases} == {"opencl"}
        named = built(
            with_device("opencl"), algorithms="uea1", offload="opencl", providers="openssl"
        )
        assert {it.provider for it in named.plan.cases} == {"opencl"}

    def test_what_a_device_lacks_is_said(self) -> None:
        plan = built(
            with_device("opencl"), algorithms="uea1,uia1", operations="encrypt,mac",
            offload="none,opencl",
        )  # fmt: skip
        assert "left out: the offload opencl has no uia1; it has uea1" in plan.notes

    def test_a_device_that_is_not_here_gives_its_reason_and_the_others_run(self) -> None:
        plan = built(description("opencl"), offload="none,opencl")
        assert {it.offload for it in plan.plan.cases} == {"none"}
        assert plan.notes == ["left out: the offload opencl: not here"]
        with pytest.raises(UsageError, match="the offload opencl: not here"):
            built(description("opencl"), offload="opencl")
        with pytest.raises(UsageError, match="the offload af_alg: this engine has none"):
            built(offload="af_alg")

    def test_a_device_is_no_library(self) -> None:
        assert {it.provider for it in built(with_device("opencl")).plan.cases} == {"openssl"}
        with pytest.raises(UsageError, match="opencl is a device: write --offload opencl"):
            built(with_device("opencl"), providers="opencl")

    def test_the_look_for_the_fastest_is_at_libraries_and_one_operation(self) -> None:
        facts = with_device("opencl", ("aes-128-gcm",))
        chosen = selection.from_options(algorithms="aes-128-gcm", operations="seal+open")
        choose_fastest(LentEngine(), planfile.default("packets"), chosen, facts)
        assert chosen.fastest == {("aes-128-gcm", "seal"): "openssl"}

    def test_what_a_busy_machine_does_not_tell_is_said(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        class Busy(LentEngine):
            crashing = (("aes-128-gcm", "openssl"), ("aes-128-gcm", "rustcrypto"))

        facts = description()
        chosen = selection.from_options(algorithms="aes-128-gcm", operations="seal")
        choose_fastest(Busy(), planfile.default("packets"), chosen, facts)
        assert chosen.fastest == {}
        said = capsys.readouterr().err
        assert "too busy to find the fastest library for aes-128-gcm seal" in said
        assert "name one with --providers" in said


class TestLanes:
    def test_an_implementation_with_lanes_is_taken_and_its_calls_fill_a_batch(self) -> None:
        (case,) = built(with_lanes(64), algorithms="uea1", sizes="64", cores="1").plan.cases
        assert (case.lanes, case.packets.batch, case.backend) == (64, 64, "bytesliced-avx2")

    def test_a_batch_bounds_the_lanes_and_few_packets_the_batch(self) -> None:
        facts = with_lanes(4096)
        usual = {"algorithms": "uea1", "sizes": "64", "cores": "1"}
        told = [
            (case.lanes, case.packets.batch)
            for plan in (
                built(facts, **usual),
                built(facts, **usual, batch="48"),
                built(facts, **usual, packets="100"),
                built(facts, **usual, lanes="8"),
                built(facts, **usual, lanes="1"),
            )
            for case in plan.plan.cases
        ]
        assert told == [(256, 256), (48, 48), (100, 100), (8, 32), (1, 32)]

    def test_lanes_that_are_named_and_lacking_are_said(self) -> None:
        plan = built(with_lanes(4), algorithms="uea1", sizes="64", cores="1", lanes="1,8")
        assert [case.lanes for case in plan.plan.cases] == [1]
        assert plan.notes == ["left out, without 8 lanes: uea1 by openssl"]

    def test_lengths_of_a_profile_are_whole_calls(self) -> None:
        (case,) = built(
            with_lanes(4096), algorithms="uea1", profile="imix", cores="1", batch="100"
        ).plan.cases
        assert case.lanes == 100 and case.lengths and len(case.lengths) % 100 == 0

    def test_flows_are_keys_and_a_function_without_a_key_has_one(self) -> None:
        plan = built(algorithms="sha256,uea1", operations="digest,encrypt", keys="64", sizes="64")
        assert {(it.algorithm, it.keys) for it in plan.plan.cases} == {
            *(("sha256", 1), ("uea1", 64))
        }


class TestMemory:
    def test_what_does_not_fit_is_counted_and_the_others_run(self) -> None:
        few = here(memory_bytes=1 << 30)
        plan = built(machine=few, algorithms="uea1", sizes="64,1500", packets="1000000", cores="1")
        assert [it.message_bytes for it in plan.plan.cases] == [64]
        assert plan.notes == [
            "left out: 1000000 packets of 1500 bytes need 2,937 MiB with their answers, and 819 "
            "MiB of the memory may be used: write at most --packets 278893, or shorter --sizes"
        ]
        # What the note says to type fits.
        built(machine=few, algorithms="uea1", sizes="1500", packets="278893", cores="1")
        with pytest.raises(UsageError, match="1000000 packets of 1500 bytes need 2,937 MiB"):
            built(machine=few, algorithms="uea1", sizes="1500", packets="1000000", cores="1")

    def test_a_second_operation_needs_room_for_its_answers(self) -> None:
        once, twice = (
            built(algorithms="uea1", operations=text, sizes="64", cores="1").plan.cases[0]
            for text in ("encrypt", "encrypt+decrypt")
        )
        more = packet_plan.needed_bytes(twice) - packet_plan.needed_bytes(once)
        assert more == 64_000 * (64 + packet_plan.ANSWER_BYTES)


class TestTimes:
    @pytest.mark.parametrize("name", ["packets", "packets-sweep"])
    @pytest.mark.parametrize("cpus", [1, 2, 64])
    def test_default_plans_fit_into_their_budgets(self, name: str, cpus: int) -> None:
        machine = here(Cpus(allowed=list(range(cpus))))
        for effort in ("quick", "usual"):
            file = planfile.default(name).at(effort)
            plan = build(file, selection.Selection(), description(), machine).plan
            assert expected_seconds(plan) <= file.budget_s == plan.budget_s

    def test_the_budget_is_shared(self) -> None:
        loads = loads_of(built(budget="30s"))
        (measure_ms,) = {it.measure_ms for it in loads}
        assert 100 <= measure_ms < 1000 * 30 / len(loads)

    def test_a_budget_that_is_too_short_is_refused_with_one_that_is_not(self) -> None:
        with pytest.raises(UsageError) as told:
            built(budget="2s")
        enough = str(told.value).partition("--budget ")[2].partition(",")[0]
        assert loads_of(built(budget=enough))[0].measure_ms >= 100

    def test_a_budget_grows_with_a_duration_that_is_named(self) -> None:
        long = built(algorithms="uea1", sizes="64", cores="1", duration="100s")
        assert long.plan.budget_s > 100
        assert loads_of(long)[0].measure_ms == 100_000
        with pytest.raises(UsageError, match="and the budget is 60 s"):
            built(algorithms="uea1", sizes="64", cores="1", duration="100s", budget="60s")


class TestOptions:
    def test_options_take_the_place_of_the_plan(self) -> None:
        plan = built(
            algorithms="uea1",
            operations="encrypt+decrypt",
            sizes="64",
            packets="1000",
            cores="2",
            batch="16",
            flush="50us",
            queue="128",
            delivery="per-flow",
            architecture="free-pipeline",
            waiting="block",
            key_setup="per-packet",
            priorities="2",
            group=["0", "1"],
            rate="1000",
        )
        (load,) = loads_of(plan)
        assert (load.packets, load.cpus, load.batch, load.flush_us) == (1000, [0, 1], 16, 50)
        assert (load.queue_batches, load.delivery, load.waiting) == (128, "per-flow", "block")
        assert (load.architecture, load.then) == ("free-pipeline", "decrypt")
        assert (load.key_setup, load.priorities, load.groups) == ("per-packet", 2, [[0], [1]])
        assert load.offered_per_s == 1000

    @pytest.mark.parametrize("operation", ["setup", "encrypt+verify", "seal+", "encrypt+decrypt+x"])
    def test_operations_that_packets_do_not_go_through_are_refused(self, operation: str) -> None:
        with pytest.raises(UsageError, match="there is no operation of packets"):
            built(operations=operation)


def test_all_that_the_contract_asks_for_is_decided() -> None:
    (load, *_) = loads_of(built())
    assert type(load) is contract.PacketLoad
    assert load.least_pairs >= 6 and load.measure_ms > 0 and load.batch > 0


def test_threads_go_before_all_others_where_the_user_may_and_a_core_is_left() -> None:
    def policies(machine: Here, **options: str) -> set[str]:
        chosen = built(machine=machine, cores="1", **options)
        return {it.packets.policy for it in chosen.plan.cases}

    free = msgspec.structs.replace(here(), may_be_real_time=True)
    assert policies(free, policy="other,round-robin") == {"other", "round-robin"}
    assert policies(free) == {"other"}
    with pytest.raises(UsageError, match="CAP_SYS_NICE"):
        policies(here(), policy="round-robin")
    with pytest.raises(UsageError, match="would stop the machine"):
        built(machine=free, cores="2", policy="round-robin")


def test_a_plan_leaves_out_what_the_user_has_no_right_to() -> None:
    plan = registry.load("kasumi").plan.at("quick")
    facts = description()
    facts.providers.append(provider("kernels"))
    facts.implementations += [
        implementation(algorithm, "kernels", path, default=path == "default")
        for algorithm in all_algorithms()
        if algorithm.name in ("uea1", "uia1")
        for path in ("table", "default")
    ]
    left = build(plan, selection.Selection(), facts, here())
    assert {it.packets.policy for it in left.plan.cases} == {"other"}
    assert any("CAP_SYS_NICE" in note for note in left.notes)
