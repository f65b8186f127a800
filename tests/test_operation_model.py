"""The model of operations: it finds planted prices, and never sees what it is asked for."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from ciphermark.answers.models import backtests
from ciphermark.answers.models.expected_work import KINDS, expected_work
from ciphermark.answers.models.operation_model import OperationModel
from ciphermark.answers.models.processors import outside_of
from ciphermark.errors import UsageError
from ciphermark.run.targets.target import Processor
from ciphermark.statistics.quantiles import weighted_quantile
from operations_example import ALGORITHMS, KNOWN, NAMES, changed, cost, dearer, observed, plain

SA1110, ATMEGA128 = KNOWN["sa1110"].processor, KNOWN["atmega128"].processor


def work(operations: dict[str, int], processor: Processor) -> dict[str, float]:
    found = dict(zip(KINDS, expected_work(operations, processor), strict=True))
    return {kind: amount for kind, amount in found.items() if amount}


def counting(processor: Processor, **fields: object) -> Processor:
    """One of which instructions are counted, so that nothing waits."""
    return msgspec.structs.replace(processor, metric="instructions", **fields)


@pytest.mark.parametrize(
    ("operations", "width", "expected"),
    [
        ({"add-32": 3}, 8, {"data": 12}),
        ({"add-32": 3}, 16, {"data": 6}),
        ({"add-32": 3}, 64, {"data": 3}),
        ({"logic-8": 3, "logic-16": 2}, 8, {"data": 7}),
        ({"add-address": 2}, 8, {"address": 4}),
        ({"add-address": 2}, 32, {"address": 2}),
        ({"join": 5}, 8, {}),
        ({"join": 5}, 32, {"data": 5}),
        ({"load-32": 1, "load-8": 1, "load-address": 1}, 8, {"load": 7}),
        ({"branch-taken": 2, "branch-untaken": 3, "call": 1}, 32, {"flow": 6}),
    ],
)
def test_narrow_processors_need_more_words(
    operations: dict[str, int], width: int, expected: dict[str, float]
) -> None:
    assert work(operations, counting(SA1110, bus_width_bits=width)) == expected


def test_where_cycles_are_counted_memory_and_jumps_take_two() -> None:
    operations = {"load-32": 5, "store-8": 2, "branch-taken": 3, "branch-untaken": 4}
    assert work(operations, SA1110) == {"load": 10, "store": 4, "flow": 10}


def test_a_rotation_takes_an_instruction_or_three_or_many() -> None:
    rotation = {"rotate": 1}
    assert work(rotation, counting(SA1110)) == {"rotate": 1}
    assert work(rotation, counting(SA1110, has_rotate=False)) == {"rotate": 3}
    assert work(rotation, counting(ATMEGA128))["rotate"] > 100
    assert work({"rotate-bytes": 1}, counting(ATMEGA128)) == {"rotate": 4}


def test_a_multiplication_goes_in_pieces() -> None:
    products = [
        work({"multiply-32": 1}, counting(ATMEGA128, multiply_bits=bits))["multiply"]
        for bits in (32, 16, 8, 0)
    ]
    assert products[0] == 1
    assert products == sorted(products)


def test_without_an_instruction_a_wide_processor_does_as_the_reference() -> None:
    operations = {"multiply-32": 1, "in-multiply": 90, "divide-32": 1, "in-divide": 40}
    processor = counting(SA1110, multiply_bits=0, has_divide=False)
    assert work(operations, processor) == {"multiply": 90, "divide": 40}


def errors(found: list[backtests.Tested]) -> list[float]:
    return [it.error("operation-model") for it in found]


def test_planted_prices_are_found() -> None:
    """Of memory for all, of jumps for those with rotations: others tell them."""
    found = observed()
    tested = backtests.by_processor(found, OperationModel(found))
    assert {it.processor for it in tested} == set(NAMES) - {"rv32i", "pxa250-400"}
    assert np.median(errors(tested)) < 0.03
    assert max(errors(tested)) < 0.2


@pytest.mark.slow
def test_a_processor_that_is_left_out_is_not_seen() -> None:
    found = observed(noise=0.2)
    tested = [dearer(found, {"octeon": factor}) for factor in (1.0, 7.0)]
    answers = [
        [
            it.predicted["operation-model"]
            for it in backtests.by_processor(one, OperationModel(one))
            if it.processor == "octeon"
        ]
        for one in tested
    ]
    assert len(answers[0]) > 0
    assert answers[0] == pytest.approx(answers[1], rel=1e-9)


@pytest.mark.slow
def test_processors_of_one_core_are_left_out_together() -> None:
    found = observed(noise=0.2)
    dear = dearer(found, {"pxa250-200": 7.0, "pxa250-400": 7.0})
    answers = [
        [
            it.predicted["operation-model"]
            for it in backtests.by_processor(one, OperationModel(one))
            if it.processor == "pxa250-200"
        ]
        for one in (found, dear)
    ]
    assert answers[0] == pytest.approx(answers[1], rel=1e-9)


def test_an_algorithm_that_is_left_out_is_not_seen() -> None:
    found = observed(noise=0.2)
    other = msgspec.structs.replace(
        found,
        observations=[
            msgspec.structs.replace(it, cycles=7 * it.cycles)
            if it.algorithm == "made-up-1" and it.processor != "rv32i"
            else it
            for it in found.observations
        ],
    )
    answers = [
        [list(it.predicted.values()) for it in backtests._new_algorithm(one, "made-up-1")]
        for one in (found, other)
    ]
    assert np.array(answers[0]) == pytest.approx(np.array(answers[1]), rel=1e-9)


def test_intervals_hold_what_they_say() -> None:
    found = observed(noise=0.2)
    tested = backtests.by_processor(found, OperationModel(found))
    assert 0.88 <= backtests.covered(tested) <= 1
    assert all(it.low < it.predicted["operation-model"] < it.high for it in tested)


def odd(processor: Processor, kind: str) -> float:
    """One processor is unlike its description."""
    return 2 * plain(processor, kind) if processor.bus_width_bits == 64 else plain(processor, kind)


def test_a_known_call_tells_what_a_processor_has_of_its_own() -> None:
    model = OperationModel(observed(odd))
    octeon = next(at for at, it in enumerate(model.fit.cores) if "octeon" in it.names)
    processor = KNOWN["octeon"].processor
    calls = [(f"made-up-{algorithm}", "encrypt", 64) for algorithm in (1, 3, 5, 8)]
    truth = {
        key: cost(processor, odd, int(key[0].removeprefix("made-up-")), key[2])
        for key in model.operations
    }
    off = [
        np.median([abs(costs[key].cycles / truth[key] - 1) for key in truth if key not in calls])
        for costs in (
            model.costs_given(processor, {key: truth[key] for key in known}, [octeon])
            for known in ([], calls[:1], calls)
        )
    ]
    assert off[0] > off[1] > off[2]
    assert off[2] < off[0] / 2


def test_measured_calls_make_errors_less() -> None:
    random = np.random.default_rng(5)
    levels = dict(zip(NAMES, np.exp(0.4 * random.standard_normal(len(NAMES))), strict=True))
    levels["pxa250-400"] = levels["pxa250-200"]
    found = backtests.steps(OperationModel(dearer(observed(), levels)))
    assert [it.measured for it in found] == [0, 1, 2, 3]
    assert found[0].algorithm is None
    errors = [it.median_error for it in found]
    assert errors == sorted(errors, reverse=True)
    assert errors[3] < 0.8 * errors[0]
    assert all(it.median_error <= it.at_random for it in found)


def test_a_prediction_says_what_it_rests_on() -> None:
    model = OperationModel(observed(noise=0.1))
    it = model.predict(changed("sa1110", registers=13), "made-up-1", "encrypt", 16)
    assert it.low < it.cycles < it.high
    assert (it.basis, it.outside) == ("operation-model", None)
    assert "sa1110" in it.nearest


def test_another_clock_changes_no_cycles() -> None:
    model = OperationModel(observed(noise=0.1))
    slow, fast = (
        model.predict(changed("sa1110", clock_mhz=clock), "made-up-1", "encrypt", 16).cycles
        for clock in (1.0, 1000.0)
    )
    assert slow == fast


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            ("made-up-99", "encrypt", 16),
            "the operations of made-up-99 encrypt have not been counted",
        ),
        (("made-up-1", "encrypt", 17), "counted for messages of 16, 64 bytes, not of 17"),
    ],
)
def test_what_was_not_counted_is_not_known(call: tuple[str, str, int], said: str) -> None:
    it = OperationModel(observed()).predict(KNOWN["sa1110"], *call)
    assert it.cycles is None
    assert said in it.outside


def test_too_few_processors_are_refused() -> None:
    with pytest.raises(UsageError, match="on 2 processors, and the model needs 3"):
        OperationModel(observed(names=("sa1110", "rv32i")))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"bus_width_bits": 64}, "no known processor has words of 64 bits"),
        ({"registers": 2}, "no known processor has 2 registers"),
        ({"out_of_order": True}, "no known processor has out_of_order = true"),
        (
            {"isa": "cisc", "issue": 4},
            "no known processor has 4 instructions at a time, nor the kind of instruction set cisc",
        ),
        ({"registers": 20, "multiply_bits": 16}, None),
    ],
)
def test_what_is_outside_is_said(fields: dict[str, object], said: str | None) -> None:
    known = [KNOWN[name] for name in ("sa1110", "atmega103", "cortex-m4")]
    assert outside_of(changed("sa1110", **fields).processor, known) == said


def test_quantiles_with_weights() -> None:
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 8.0])
    assert weighted_quantile(values, weights, 0.05) == 1
    assert weighted_quantile(values, weights, 0.5) == 2
    assert weighted_quantile(values, weights, 0.9) == 2
    assert weighted_quantile(values, weights, 1.0) == 3


def test_a_function_counts_once_however_many_sizes_it_has() -> None:
    found = observed()
    tested = backtests.by_processor(found, OperationModel(found))
    per_processor = {it.processor for it in tested}
    assert math.isclose(sum(it.weight for it in tested), ALGORITHMS * len(per_processor))
