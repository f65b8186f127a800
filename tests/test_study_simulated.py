"""What studies simulate beside their runs, on real simulators and without their measurements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.run.engine import Engine
from ciphermark.run.targets import simulation
from ciphermark.run.targets.target import FOLDER, read
from ciphermark.studies import kasumi, umac

pytestmark = [pytest.mark.targets, pytest.mark.deep]

Simulate = Callable[[list[SimulatedCase]], dict[SimulatedCase, Simulation]]


@pytest.fixture
def simulate(engine: Engine, shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Simulate:
    """All figures of cases, or a skip with what a target lacks."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache))

    def simulate(cases: list[SimulatedCase]) -> dict[SimulatedCase, Simulation]:
        targets = [read(FOLDER / f"{name}.toml") for name in sorted({it.target for it in cases})]
        facts = {it.name: it for it in engine.describe().algorithms}
        questions = engine.questions(sorted({it.algorithm for it in cases}))
        found = simulation.simulate(targets, cases, facts, questions, lambda *_: None)
        for target in found.targets:
            if target.reason:
                pytest.skip(target.reason)
        assert [it.error for it in found.simulations if it.error] == []
        return {it.case: it for it in found.simulations}

    return simulate


def test_the_packets_study_counts_both_kernels_on_the_thesiss_processor(simulate: Simulate) -> None:
    found = simulate(kasumi.simulated("quick"))
    assert {it.target for it in found} == {"octeon"}
    assert all(it.vectors_passed > 0 and it.metric == "instructions" for it in found.values())
    messages = {it: figure.instructions or 0 for it, figure in found.items() if it.message_bytes}
    assert len(messages) == 2 * 2 * 4
    for case, executed in messages.items():
        # Eight rounds for each eight bytes, of more than one instruction each.
        assert executed > 8 * (case.message_bytes or 0) / 8
    by_tables = {it: count for it, count in messages.items() if it.backend == "table"}
    for case, executed in by_tables.items():
        assert executed < messages[msgspec.structs.replace(case, backend="reference")]


def test_the_umac_study_counts_every_cell_of_the_page_on_its_processors(
    simulate: Simulate,
) -> None:
    found = simulate(umac.simulated("quick"))
    assert {it.target for it in found} == {"pentium3", "ppc7400"}
    assert all(it.vectors_passed > 0 and it.metric == "instructions" for it in found.values())
    vectors = {it: figure for it, figure in found.items() if it.backend == "altivec"}
    assert len(vectors) == 4 * 4
    for case, figure in vectors.items():
        plain = found[msgspec.structs.replace(case, backend="portable")]
        # Eight products in an instruction.
        assert (figure.instructions or 0) < (plain.instructions or 0)


def test_caches_are_filled_once_where_there_is_room_and_again_where_there_is_none(
    engine: Engine, shared_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache))
    whole = read(FOLDER / "sa1110.toml")
    assert whole.processor is not None and whole.processor.caches is not None
    few = msgspec.structs.replace(whole.processor.caches, ways=1)
    tiny = msgspec.structs.replace(whole.processor, icache_kb=0.25, dcache_kb=0.25, caches=few)
    case = SimulatedCase(target="sa1110", algorithm="md5", operation="digest", message_bytes=128)
    facts = {it.name: it for it in engine.describe().algorithms}
    questions = engine.questions(["md5"])
    found = []
    for processor in (whole.processor, tiny):
        target = msgspec.structs.replace(whole, processor=processor)
        came = simulation.simulate([target], [case], facts, questions, lambda *_: None)
        if came.targets[0].reason:
            pytest.skip(came.targets[0].reason)
        found += came.simulations
    roomy, crowded = found
    assert roomy.value == crowded.value
    assert roomy.evictions == 0 and (crowded.evictions or 0) > 0
    # No more lines of code than its bytes fill, and those of the calls around it.
    assert 0 < (roomy.instruction_misses or 0) < (roomy.code_bytes or 0) / 32 + 50
    # Two blocks of a message, and the state.
    assert (roomy.data_misses or 0) >= 128 / 32
    assert (crowded.instruction_misses or 0) > (roomy.instruction_misses or 0)
