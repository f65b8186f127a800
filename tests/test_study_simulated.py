"""What studies simulate beside their runs, on real simulators and without their measurements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.measure.engine import Engine
from ciphermark.measure.targets import simulation
from ciphermark.measure.targets.target import FOLDER, read
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
