"""The paper's model, fitted to its own table, to simulations and to runs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares
from typer.testing import CliRunner

import ciphermark
from ciphermark.answers.models import block_model, sensor_2003
from ciphermark.answers.models.block_model import blocks_of
from ciphermark.answers.models.fits import ComparedFit, ModelFits, fit_model
from ciphermark.answers.models.observations import Observed, measured, simulated
from ciphermark.cli.main import app
from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workload import rows, rows_table
from simulation_example import (
    CIPHERS,
    HASHES,
    OPERATION_COUNTS,
    described,
    failure,
    simulated_run,
    simulations,
)

PUBLISHED = Path(ciphermark.__file__).parent / "studies" / "published"


@pytest.fixture(scope="module")
def fits() -> ModelFits:
    return fit_model(sensor_2003.observed(), sensor_2003.parameters(), sensor_2003.adjustments())


def of(fits: ModelFits, function: str, rule: str | None = None) -> ComparedFit:
    (found,) = (it for it in fits.fits if (it.function, it.rule) == (function, rule))
    return found


def cost_of(function: str, action: str, size: str) -> list[float]:
    """Cycles·bits of a row of Table 3, read here without the code under test."""
    with (PUBLISHED / "sensor-2003-platforms.csv").open(encoding="utf-8") as file:
        scale = {
            it["platform"]: float(it["clock_mhz"]) * float(it["bus_width_bits"])
            for it in csv.DictReader(file)
        }
    with (PUBLISHED / "sensor-2003-times.csv").open(encoding="utf-8") as file:
        return [
            float(it["microseconds"]) * scale[it["platform"]]
            for it in csv.DictReader(file)
            if (it["function"], it["action"], it["message_bytes"]) == (function, action, size)
        ]


def least(counts: Sequence[float], costs: Sequence[float]) -> list[float]:
    """a and b of the least squares of relative errors, by a general solver."""
    n, y = np.array(counts), np.array(costs)
    return list(least_squares(lambda p: (p[0] + p[1] * n) / y - 1, [1e5, 1e5], x_scale=1e5).x)


@pytest.mark.parametrize(
    ("function", "a", "b"),
    [
        # What the same fit gave when it was computed from Table 3 by hand.
        ("rc4-128 keystream", 68421, 13554),
        ("rc5-32-12-8-ecb encrypt", 356499, 41159),
        ("idea-ecb encrypt", 67698, 80837),
        ("idea-ecb decrypt", 388234, 84378),
    ],
)
def test_table_3_gives_back_table_4(fits: ModelFits, function: str, a: float, b: float) -> None:
    found = of(fits, function)
    assert (found.a, found.b) == pytest.approx((a, b), rel=1e-4)
    assert found.a_ratio == pytest.approx(found.a / found.published_a) == pytest.approx(1, abs=0.03)
    assert found.b_ratio == pytest.approx(found.b / found.published_b) == pytest.approx(1, abs=0.03)
    assert found.is_given_back


def test_a_block_of_a_published_cipher_is_the_whole_text(fits: ModelFits) -> None:
    for function, own in [("rc4-128 keystream", 8), ("idea-ecb encrypt", 64)]:
        found = of(fits, function)
        assert (found.block_bits, found.true_block_bits) == (128, own)


@pytest.mark.parametrize(("rule", "counts"), [("printed", (0, 1, 2)), ("padded", (1, 1, 2))])
def test_md5_is_fitted_to_what_is_printed(
    fits: ModelFits, rule: str, counts: tuple[int, ...]
) -> None:
    lengths = ("0", "1-26", "62-80")
    costs = [cost_of("md5", "digest", size) for size in lengths]
    numbers = [count for count, row in zip(counts, costs, strict=True) for _ in row]
    found = of(fits, "md5 digest", rule)
    assert [found.a, found.b] == pytest.approx(least(numbers, np.concatenate(costs)), rel=1e-5)
    assert not found.is_given_back


def test_sha1_as_printed_tells_only_the_sum(fits: ModelFits) -> None:
    found = of(fits, "sha1 digest", "printed")
    assert (found.a, found.b, found.a_ratio) == (None, None, None)
    costs = np.concatenate([cost_of("sha1", "digest", size) for size in ("1", "3", "56", "64")])
    assert found.a_plus_b == pytest.approx(np.sum(1 / costs) / np.sum(1 / costs**2))
    assert {cell.blocks for cell in found.cells} == {1}


def test_errors_are_those_of_the_cells(fits: ModelFits) -> None:
    found = of(fits, "rc4-128 keystream")
    (setup,) = (it for it in found.cells if (it.processor, it.blocks) == ("ultrasparc2", 0))
    assert setup.observed_cycles == pytest.approx(96 * 440)
    assert setup.model_cycles == pytest.approx(found.a / 32)
    assert setup.relative_error == pytest.approx(found.a / 32 / (96 * 440) - 1)
    off = sorted(abs(it.relative_error) for it in found.cells)
    assert found.median_relative_error == pytest.approx((off[6] + off[7]) / 2)
    assert found.worst_relative_error == off[-1]
    # Key setup on the PXA250 at either clock.
    assert found.worst_factor == pytest.approx(108 * 400 / (found.a / 32))


def test_published_parameters_have_errors_of_their_own(fits: ModelFits) -> None:
    found = of(fits, "rc4-128 keystream")
    worst = max(abs(it.relative_error) for it in found.published_cells)
    assert found.published_errors.worst_relative_error == worst
    (both,) = (it for it in found.published_cells if (it.processor, it.blocks) == ("m16c", 1))
    assert both.model_cycles == (68540 + 13591) / 16


def test_table_5_is_what_the_base_has_beyond_the_other_group(fits: ModelFits) -> None:
    rows = {it.condition: it for it in fits.refinements if it.table == "Table 5"}
    alone = rows["no-multiply"]
    assert alone.processors == ["atmega103"]
    # Of one processor there are two observations for two parameters, which fit exactly.
    (init,), (encrypt,) = (
        [cost for cost in cost_of("idea", action, "16")[:1]]
        for action in ("init-encrypt", "encrypt")
    )
    assert (67751 + alone.a, 80617 + alone.b) == pytest.approx((init, encrypt))
    multiply = rows["multiply"]
    assert (multiply.others_a, multiply.others_b) == pytest.approx((19016, -1143), rel=1e-3)
    assert (alone.others_a, alone.others_b) == pytest.approx((-14330, 8252), rel=0.03)
    assert (
        multiply.refined_errors.median_relative_error < multiply.base_errors.median_relative_error
    )


def test_table_6_is_read_both_ways_and_comes_back_in_none(fits: ModelFits) -> None:
    readings = [it for it in fits.refinements if it.table == "Table 6"]
    assert {(it.function, it.rule) for it in readings} == {
        ("idea-ecb encrypt", None),
        ("md5 digest", "printed"),
        ("md5 digest", "padded"),
    }
    for it in readings:
        for a, b in [(it.a, it.b), (it.others_a, it.others_b)]:
            assert (a, b) != pytest.approx((it.published_a, it.published_b), rel=0.1)


@pytest.mark.parametrize(
    ("algorithm", "message_bytes", "printed", "padded"),
    [
        ("md5", 0, 0, 1),
        ("md5", 55, 1, 1),
        ("md5", 56, 1, 2),
        ("sha1", 64, 1, 2),
        ("sha1", 65, 2, 2),
        ("sha512", 111, 1, 1),
        ("sha512", 112, 1, 2),
        ("idea-ecb", 16, 2, 2),
        ("rc4-128", 16, 16, 16),
        ("unlisted", 16, 16, 16),
    ],
)
def test_blocks(algorithm: str, message_bytes: int, printed: int, padded: int) -> None:
    blocks = blocks_of(algorithm)
    assert blocks.number(message_bytes, "printed") == printed
    assert blocks.number(message_bytes, "padded") == padded


def observed(run: Run) -> Observed:
    return simulated("a test", run.simulations, run.targets)


@given(a=st.floats(1e3, 1e6), b=st.floats(1e3, 1e6))
def test_known_parameters_are_recovered(a: float, b: float) -> None:
    found = block_model.solve(
        [
            block_model.Point("one", 0, a + b),
            block_model.Point("one", 60, a + 2 * b),
            block_model.Point("two", 120, a + 3 * b),
        ],
        blocks_of("md5"),
        "padded",
    )
    assert found == pytest.approx((a, b))


def test_simulations_give_back_what_they_were_made_from() -> None:
    found = {it.function: it for it in block_model.fits(observed(simulated_run()), ["padded"])}
    assert set(found) == {"idea-ecb encrypt", "rc4-128 keystream", "md5 digest"}
    for algorithm, (a, b, _) in (CIPHERS | HASHES).items():
        (it,) = (it for it in found.values() if it.algorithm == algorithm)
        assert (it.a, it.b) == pytest.approx((a, b), rel=1e-2)
        assert it.block_bits == it.true_block_bits
        assert it.worst_relative_error < 0.01


def test_several_seeds_are_one_observation_and_errors_none() -> None:
    (first, *_) = simulations(["sa1110"])
    case = first.case
    alike = [
        msgspec.structs.replace(first, case=msgspec.structs.replace(case, seed=seed), value=value)
        for seed, value in [(1, 100), (2, 400), (3, 130)]
    ]
    wrong = failure(msgspec.structs.replace(first, case=msgspec.structs.replace(case, seed=4)))
    (it,) = simulated("", [*alike, wrong], [described("sa1110")]).observations
    assert it.cycles == 130


def test_models_take_the_reference_of_several_backends() -> None:
    (first, *_) = simulations(["sa1110"])
    case = msgspec.structs.replace(first.case, backend="portable")
    portable = msgspec.structs.replace(first, case=case, value=1)
    found = simulated("", [portable, first], [described("sa1110")])
    assert {it.backend: it.cycles for it in found.observations} == {
        "portable": 1,
        "reference": first.value,
    }
    assert [it.cycles for it in found.modelled().observations] == [first.value]


def test_a_key_for_decrypting_is_told_apart() -> None:
    (setup, *_) = simulations(["sa1110"])
    case = msgspec.structs.replace(setup.case, keyed_for="decrypt")
    decrypting = msgspec.structs.replace(setup, case=case, value=9000)
    message = msgspec.structs.replace(
        setup,
        case=msgspec.structs.replace(setup.case, operation="decrypt", message_bytes=8),
        value=500,
    )
    found = simulated("", [setup, decrypting, message], [described("sa1110")])
    (it,) = block_model.fits(found)
    assert it.function == "idea-ecb decrypt"
    assert (it.a, it.b) == pytest.approx((9000 * 32, 500 * 32))


def test_operations_are_those_of_the_reference_stream() -> None:
    found = observed(simulated_run(simulations(["sa1110", "rv32i"])))
    assert all(it.operations == OPERATION_COUNTS for it in found.observations)
    without = observed(simulated_run(simulations(["sa1110"])))
    assert all(it.operations is None for it in without.observations)


def test_a_metric_can_be_asked_for_and_several_are_named() -> None:
    run = simulated_run()
    every = observed(run)
    assert any("cycles-simulated" in it and "atmega103, atmega128" in it for it in every.notes)
    assert set(every.metrics) == {"cycles-simulated", "cycles-model", "instructions"}
    some = simulated("", run.simulations, run.targets, "cycles-simulated")
    assert set(some.processors) == {"atmega103", "atmega128"}


def test_times_are_made_of_cycles() -> None:
    every = observed(simulated_run())
    assert "instructions" in every.metrics
    assert set(every.in_cycles().metrics) == {"cycles-simulated", "cycles-model"}
    run = simulated_run()
    alone = simulated("", run.simulations, run.targets, "instructions")
    assert alone.in_cycles().observations == alone.observations


def test_targets_without_a_processor_are_left_out() -> None:
    it = msgspec.structs.replace(simulations(["sa1110"])[0])
    plain = msgspec.structs.replace(described("sa1110"), description='title = "x"')
    assert simulated("", [it], [plain]).observations == []


def test_a_measured_run_is_one_more_processor(run: Run) -> None:
    found = measured(run.context, rows(run))
    (machine,) = found.processors.values()
    assert machine.processor.bus_width_bits == 64
    assert machine.processor.clock_mhz == pytest.approx(run.context.core_hz / 1e6)
    (sha256,) = (it for it in block_model.fits(found, ["padded"]) if it.algorithm == "sha256")
    # 210 + 1.9·n, the cheaper of the two libraries, at 64 and at 1024 bytes: 2 and 17 blocks.
    b = 1.9 * (1024 - 64) / 15 * 64
    assert sha256.b == pytest.approx(b, rel=0.03)
    assert "sha256 of rustcrypto" in found.notes[0]


def test_a_run_without_messages_is_refused(run: Run) -> None:
    with pytest.raises(UsageError, match="no figures of single messages"):
        measured(run.context, [])


def fit(*arguments: object) -> Any:
    return CliRunner(env={"COLUMNS": "120"}).invoke(app, ["model", "fit", *map(str, arguments)])


def test_the_command_prints_parameters_beside_the_published() -> None:
    shown = fit().stdout
    assert "rc4-128 keystream" in shown and "68 421" in shown and "68 540" in shown
    assert "128 (own 64)" in shown
    assert "all messages have the same number of blocks" in shown
    assert "Table 5, multiply: the published adjustment comes back" in shown
    assert "Table 6, cisc: the published adjustment (a 77 175, b −103 593) cannot" in shown


def test_the_command_prints_json() -> None:
    document = msgspec.json.decode(fit("--json").stdout)
    assert set(document) >= {"fits", "refinements", "notes"}
    fields = {"function", "a", "b", "block_bits", "true_block_bits", "median_relative_error"}
    fields |= {"worst_relative_error", "published_a", "published_b"}
    assert all(fields <= set(it) for it in document["fits"])
    rules = [it["rule"] for it in document["fits"] if it["algorithm"] == "md5"]
    assert rules == ["printed", "padded"]


def test_one_rule_can_be_asked_for() -> None:
    document = msgspec.json.decode(fit("--json", "--rule", "padded").stdout)
    rules = {it["rule"] for it in document["fits"]}
    assert rules == {None, "padded"}


def test_stored_simulations_are_fitted(store: Store) -> None:
    dear = simulated_run(simulations(factors=dict.fromkeys(["atmega103"], 3.0)))
    newest = simulated_run(seed=1)
    for it in (dear, newest):
        store.save(it, rows_table(rows(it), "simulation"))
    found = msgspec.json.decode(fit("--data", "simulated", "--json", "--runs", store.root).stdout)
    (md5,) = (it for it in found["fits"] if (it["algorithm"], it["rule"]) == ("md5", "padded"))
    assert (md5["a"], md5["b"]) == pytest.approx(HASHES["md5"][:2], rel=1e-2)
    assert newest.context.run in found["source"]


def test_published_parameters_are_scaled_to_the_block_of_the_data(store: Store) -> None:
    run = simulated_run()
    store.save(run, rows_table(rows(run), "simulation"))
    found = msgspec.json.decode(fit("--data", "last", "--json", "--runs", store.root).stdout)
    (idea,) = (it for it in found["fits"] if it["algorithm"] == "idea-ecb")
    assert (idea["published_a"], idea["published_b"]) == (67751, 80617 / 2)
    (row,) = (it for it in found["refinements"] if it["condition"] == "multiply")
    assert (row["published_a"], row["published_b"]) == (19016, -1143 / 2)


def test_data_without_a_function_that_can_be_fitted_say_nothing_together() -> None:
    observed = sensor_2003.observed()
    found = fit_model(msgspec.structs.replace(observed, observations=[]), [], [])
    assert (found.fits, found.overall) == ([], [])


def test_fitting_several_metrics_together_is_said(store: Store) -> None:
    run = simulated_run()
    store.save(run, rows_table(rows(run), "simulation"))
    shown = fit("--data", "last", "--runs", store.root).stdout
    assert "figures of several metrics are fitted together" in shown
    alone = fit("--data", "last", "--metric", "cycles-simulated", "--runs", store.root).stdout
    assert "cycles-simulated (" in alone and "fitted together" not in alone


def test_a_measured_run_is_fitted(store: Store, run: Run) -> None:
    store.save(run, rows_table(rows(run), "single"))
    found = msgspec.json.decode(fit("--data", "last", "--json", "--runs", store.root).stdout)
    assert "sha256 digest" in {it["function"] for it in found["fits"]}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rule", "pading"], "there is no rule 'pading'; near: padded"),
        (["--data", "simulated"], "run ciphermark simulate all"),
        (["--data", "sensor-2004"], "sensor-2003 and simulated are"),
        (["--metric", "cycles-model"], "--metric goes with simulations only"),
        (["--metric", "cycles"], "there is no metric 'cycles'"),
    ],
)
def test_what_cannot_be_is_refused(store: Store, arguments: list[str], sentence: str) -> None:
    ended = fit(*arguments, "--runs", store.root)
    assert isinstance(ended.exception, UsageError)
    assert sentence in str(ended.exception)
