"""From the events of an engine to a run."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

import ciphermark
from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.record.recorder import Recorder
from ciphermark.record.run import Run
from ciphermark.record.tables import SAMPLES
from synthetic import (
    CRASH,
    STARTED_UNIX_NS,
    synthetic_algorithms,
    synthetic_cases,
    synthetic_events,
    synthetic_hello,
    synthetic_plan,
    synthetic_run,
)

PLAN = synthetic_plan(synthetic_cases(algorithms=["sha256"], sizes=(64,)))


def recorder() -> Recorder:
    return Recorder(
        "ciphermark survey --quick", "survey-quick", PLAN, synthetic_algorithms(), ["a note"]
    )


def recorded(events: Iterable[contract.Event], interrupted: bool = False) -> Run:
    fed = recorder()
    for event in events:
        fed.feed(event)
    return fed.finish(interrupted)


def test_context_tells_what_was_asked_and_what_became_of_it() -> None:
    context = recorded(synthetic_events(PLAN)).context
    assert context.command == "ciphermark survey --quick"
    assert context.plan_name == "survey-quick"
    assert context.notes == ["a note"]
    assert context.plan == PLAN
    assert context.hello == synthetic_hello()
    assert context.machine_name == context.hello.environment.machine.machine_name
    assert context.core_hz == context.hello.environment.clocks.core_hz
    assert (context.cases, context.converged, context.errors) == (2, 2, 0)
    assert context.ciphermark_version == ciphermark.__version__
    assert not context.interrupted


def test_only_facts_of_measured_algorithms_are_kept() -> None:
    context = recorded(synthetic_events(PLAN)).context
    assert [facts.name for facts in context.algorithms] == ["sha256"]


def test_identifier_is_the_start_and_four_random_digits() -> None:
    first, second = (recorded(synthetic_events(PLAN)).context for _ in range(2))
    assert first.started_unix_ns == STARTED_UNIX_NS
    assert re.fullmatch(r"20261121-091500-[0-9a-f]{4}", first.run)
    # One pair in 65,536 is equal by chance, so that a third is drawn before this is a failure.
    assert first.run != second.run or recorded(synthetic_events(PLAN)).context.run != first.run


def test_samples_are_kept_as_they_came() -> None:
    samples = [event for event in synthetic_events(PLAN) if isinstance(event, contract.Sample)]
    table = recorded(synthetic_events(PLAN)).samples
    assert table.schema == SAMPLES
    assert [contract.Sample(**row) for row in table.to_pylist()] == samples
    assert any(sample.disturbed for sample in samples)


def test_a_failed_case_has_its_error_and_the_others_what_ran() -> None:
    run = recorded(synthetic_events(PLAN, failed={1: CRASH}))
    good, bad = run.cases
    assert (good.error, bad.error) == (None, CRASH)
    assert good.implementation is not None
    assert good.vectors_passed == 12
    assert good.agrees_with == ["rustcrypto"]
    assert bad.implementation is None
    assert run.context.errors == 1


def test_warnings_are_kept() -> None:
    warning = contract.Warning(kind="steal", message="3 % of the time was stolen", case=None)
    run = recorded([*synthetic_events(PLAN), warning])
    assert run.warnings == [warning]


def test_an_engine_that_died_leaves_what_it_had_measured() -> None:
    events = [*synthetic_events(PLAN)][:20]
    progress = contract.Progress(
        phase="measuring", done=1, total=2, converged=1, round=3, elapsed_s=1.5, left_s=9.0
    )
    run = recorded([*events, progress])
    assert run.context.bye is None
    assert run.context.interrupted
    assert (run.context.converged, run.context.elapsed_s) == (1, 1.5)
    assert run.samples.num_rows == sum(isinstance(event, contract.Sample) for event in events)


def test_cases_not_reached_have_neither_error_nor_samples() -> None:
    run = recorded([synthetic_hello()], interrupted=True)
    assert all(record.error is None and record.implementation is None for record in run.cases)
    assert run.samples.num_rows == 0
    assert (run.context.errors, run.context.converged) == (0, 0)


@pytest.mark.parametrize(("told", "by_engine"), [(True, False), (False, True), (False, False)])
def test_interrupted_by_either_side(told: bool, by_engine: bool) -> None:
    *events, bye = synthetic_events(PLAN)
    bye.interrupted = by_engine
    assert recorded([*events, bye], told).context.interrupted is (told or by_engine)


def test_an_engine_that_never_greeted_is_no_run() -> None:
    with pytest.raises(WorkError, match="before it began to measure"):
        recorder().finish(interrupted=True)


def test_an_event_for_a_case_that_was_not_planned_is_a_fault() -> None:
    with pytest.raises(KeyError):
        recorder().feed(contract.CaseError(case=99, error=CRASH))


def test_synthetic_runs_are_the_same_for_the_same_seed() -> None:
    one, same, other = (synthetic_run(seed=seed, rounds=2) for seed in (5, 5, 6))
    assert one.context == same.context
    assert one.samples == same.samples
    assert one.samples != other.samples
