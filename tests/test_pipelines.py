"""What holds of every model of a pipeline, on programs made up at random."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.run.targets.intervals import Block, Trace
from ciphermark.run.targets.pipelines.cores import CORES
from ciphermark.run.targets.target import TARGETS
from pipeline_example import OUTSIDE, block, pipeline, trace

PROGRAMS = {
    "arm": ("e0821003", "e5950000", "e0806001", "e0090392", "e890000c", "e0821413", "1a000000"),
    "thumb": ("6808", "6803", "5099", "1888", "4348", "b530", "d1fe", "4770"),
    "riscv": ("4188", "952e", "c1c8", "00b51063", "8082"),
}
MODELLED = {it.name: it for it in TARGETS.all() if it.processor and it.processor.pipeline}


def alphabet(target: str) -> tuple[str, ...]:
    if CORES[MODELLED[target].processor.pipeline].isa == "riscv":
        return PROGRAMS["riscv"]
    return PROGRAMS["thumb" if "-mthumb" in MODELLED[target].flags else "arm"]


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, Trace]:
    """A target, and the execution of three blocks for it that follow each other anyhow."""
    target = draw(st.sampled_from(sorted(MODELLED)))
    codes = st.lists(st.sampled_from(alphabet(target)), min_size=1, max_size=6)
    blocks = [block(address, *draw(codes)) for address in (0x1000, 0x2000, 0x3000)]
    addresses = [it.address for it in blocks]
    ways = st.tuples(st.sampled_from([OUTSIDE, *addresses]), st.sampled_from(addresses))
    edges = draw(st.dictionaries(ways, st.integers(0, 50), min_size=1, max_size=6))
    return target, trace(edges, *blocks)


def instructions(of: Trace) -> int:
    return sum(len(of.blocks[at].instructions) * times for at, times in of.times().items())


@pytest.mark.slow
@settings(max_examples=40)
@given(programs())
def test_no_cycle_issues_two_instructions(program: tuple[str, Trace]) -> None:
    target, executed = program
    assert pipeline(target).cycles(executed) >= instructions(executed)


@settings(max_examples=40)
@given(programs(), st.integers(0, 7))
def test_what_happens_so_often_costs_so_often(program: tuple[str, Trace], times: int) -> None:
    target, executed = program
    edges = {edge: times * count for edge, count in executed.edges.items()}
    often = Trace(blocks=executed.blocks, edges=edges)
    model = pipeline(target)
    assert model.cycles(often) == times * model.cycles(executed)


@settings(max_examples=40)
@given(programs())
def test_a_model_that_knows_the_blocks_gives_the_same(program: tuple[str, Trace]) -> None:
    target, executed = program
    model = pipeline(target)
    assert [model.cycles(executed) for _ in range(2)] == [pipeline(target).cycles(executed)] * 2


@settings(max_examples=40)
@given(programs())
def test_edges_add_up_where_nothing_is_predicted(program: tuple[str, Trace]) -> None:
    target, executed = program
    model = pipeline(target)
    if model.core.mispredicted():
        return
    single = [Trace(blocks=executed.blocks, edges=dict([it])) for it in executed.edges.items()]
    assert model.cycles(executed) == sum(map(model.cycles, single))


@pytest.mark.parametrize("target", sorted(MODELLED))
def test_every_model_states_what_it_leaves_out(target: str) -> None:
    assert len(pipeline(target).limits.split()) > 4


def test_each_block_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = pipeline("sa1110")
    decoded: list[int] = []
    known = model._decode
    monkeypatch.setattr(model, "_decode", lambda at, code: decoded.append(at) or known(at, code))
    loop: Block = block(0x1000, "e0821003", "1afffffd")
    for count in range(1, 1000):
        model.cycles(trace({(OUTSIDE, 0x1000): 1, (0x1000, 0x1000): count}, loop))
    assert decoded == [0x1000, 0x1004]
