"""`ciphermark model predict` and `model backtest`: processors and functions that are not known."""

from __future__ import annotations

import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from ciphermark.answers.models.backtests import Backtests, backtests
from ciphermark.answers.models.new_function import AlikeFunctions
from ciphermark.answers.models.observations import Observation, lend_operations
from ciphermark.answers.models.predictions import (
    Wanted,
    backtest_blocks,
    predictions,
    read_figures,
    with_operations,
)
from ciphermark.answers.models.processors import processor_of
from ciphermark.cli.main import app
from ciphermark.errors import UsageError
from ciphermark.record.store import Store
from ciphermark.workload import rows, rows_table
from on_screen import blocks_on_screen
from operations_example import (
    ALGORITHMS,
    KNOWN,
    NAMES,
    SIZES,
    changed,
    cost,
    observed,
    operations,
    plain,
    simulations,
)
from simulation_example import described, simulated_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one simulation, of the made-up functions."""
    folder = tmp_path_factory.mktemp("runs")
    found = simulations(observed(noise=0.1))
    run = msgspec.structs.replace(simulated_run(found), targets=[described(name) for name in NAMES])
    Store(folder).save(run, rows_table(rows(run), "simulation"))
    return folder


def invoke(runs: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["model", *arguments, "--runs", str(runs)])


def answered(runs: Path, *arguments: str) -> dict:
    result = invoke(runs, *arguments, "--json")
    assert result.exit_code == 0, result.exception
    return json.loads(result.stdout)


def refused(runs: Path, *arguments: str) -> str:
    """What is said; one line."""
    error = invoke(runs, *arguments).exception
    assert isinstance(error, UsageError)
    assert "\n" not in str(error)
    return str(error)


@pytest.mark.parametrize("data", [(), ("--data", "sensor-2003")])
def test_without_a_simulation_no_other_data_are_advised(
    tmp_path: Path, data: tuple[str, ...]
) -> None:
    """The paper's table has no counts of operations: to name it would lead here again."""
    said = refused(tmp_path, "predict", "--target", "atmega128", *data)
    assert said.endswith("run ciphermark simulate all") and "no simulation is stored" in said
    assert "write --data" not in said


@pytest.mark.slow
def test_a_processor_like_another_is_predicted(runs: Path) -> None:
    found = answered(runs, "predict", "--like", "cortex-m4", "--set", "has_divide=false")
    assert found["target"] == "like-cortex-m4"
    assert len(found["predictions"]) == ALGORITHMS
    processor = msgspec.structs.replace(KNOWN["cortex-m4"].processor, has_divide=False)
    for it in found["predictions"]:
        number = int(it["algorithm"].removeprefix("made-up-"))
        assert it["low"] < it["cycles"] < it["high"]
        assert it["cycles"] == pytest.approx(cost(processor, plain, number, 64), rel=0.4)
        assert it["microseconds"] == pytest.approx(it["cycles"] / processor.clock_mhz)
        assert (it["basis"], it["message_bytes"]) == ("operation-model", 64)
    assert (found["outside"], found["known"]) == (None, 0)
    assert [it["measured"] for it in found["steps"]] == [0, 1, 2, 3]


@pytest.mark.slow
def test_a_clock_changes_times_alone(runs: Path) -> None:
    like = ("predict", "--like", "atmega128", "--algorithm", "made-up-1")
    (slow,) = answered(runs, *like, "--clock", "8")["predictions"]
    (usual,) = answered(runs, *like)["predictions"]
    assert slow["cycles"] == usual["cycles"]
    assert slow["microseconds"] == pytest.approx(2 * usual["microseconds"])


def test_what_is_known_of_a_core_is_measured(runs: Path) -> None:
    (it,) = answered(runs, "predict", "--target", "octeon", "--algorithm", "made-up-1")[
        "predictions"
    ]
    assert it["basis"] == "measured"
    assert it["low"] == it["cycles"] == it["high"]
    assert it["microseconds"] is None  # of instructions nobody knows the time


@pytest.mark.slow
def test_figures_of_ones_own_are_taken_into_account(runs: Path, tmp_path: Path) -> None:
    processor = KNOWN["cortex-m0"].processor
    known = tmp_path / "known.csv"
    lines = [f"made-up-{it},encrypt,64,{3 * cost(processor, plain, it, 64)}" for it in range(1, 6)]
    known.write_text("algorithm,operation,message_bytes,cycles\n" + "\n".join(lines))
    like = ("predict", "--like", "cortex-m0", "--set", "registers=10")
    before, after = (
        {it["algorithm"]: it for it in answered(runs, *like, *more)["predictions"]}
        for more in ((), ("--known", str(known)))
    )
    assert after["made-up-1"]["basis"] == "measured"
    assert after["made-up-7"]["cycles"] > 1.15 * before["made-up-7"]["cycles"]


@pytest.mark.slow
def test_what_is_outside_is_said(runs: Path) -> None:
    found = answered(runs, "predict", "--like", "cortex-m4", "--set", "registers=2")
    assert found["outside"] == "no known processor has 2 registers"
    shown = invoke(runs, "predict", "--like", "cortex-m4", "--set", "registers=2").stdout
    assert "outside the range of known processors: no known processor has 2 registers" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say of which processor: --target NAME, or --like NAME"),
        (["--like", "cortex-m4", "--target", "octeon"], "exclude each other"),
        (
            ["--like", "cortex-m4", "--algorithm", "made-up-9"],
            "there is no algorithm with counted operations 'made-up-9'; near: made-up-",
        ),
        (
            ["--like", "cortex-m4", "--algorithm", "made-up-1", "--operation", "seal"],
            "there is no counted operation 'seal' of made-up-1: write one of ",
        ),
        (
            ["--like", "cortex-m4", "--algorithm", "made-up-1", "--sizes", "17"],
            "not been counted for 17 bytes: take one of 16, 64",
        ),
        (
            ["--like", "cortex-m4", "--set", "wheels=4"],
            "--set wheels: a processor has no such field",
        ),
        (["--like", "cortex-m4", "--set", "registers"], "is no FIELD=VALUE"),
        (["--like", "cortex-m4", "--set", "multiply_bits=3"], "--set multiply_bits=3: "),
        (["--like", "cortex-m4", "--known", "nothing.csv"], "nothing.csv cannot be read"),
    ],
)
def test_bad_input_is_one_line(runs: Path, arguments: list[str], said: str) -> None:
    assert said in refused(runs, "predict", *arguments)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no figures"),
        ("algorithm,operation,cycles\na,b,1\n", "lacks the column message_bytes"),
        ("algorithm,operation,message_bytes\na,b,1\n", "lacks the column cycles (or microseconds)"),
        ("algorithm,operation,message_bytes,cycles\na,b,1,fast\n", "line 2: cycles 'fast' is no"),
        ("algorithm,operation,message_bytes,cycles\na,b,1,-3\n", "line 2: cycles '-3' is no"),
        ("algorithm,operation,message_bytes,cycles\na,b,-1,3\n", "message_bytes '-1' is no number"),
        ("algorithm,operation,message_bytes,cycles,processor\na,b,1,3,z80\n", "no processor z80"),
    ],
)
def test_bad_figures_are_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "known.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=".") as error:
        read_figures(path, {"sa1110": KNOWN["sa1110"]}, "sa1110")
    assert said in str(error.value)


def test_figures_may_be_times(tmp_path: Path) -> None:
    path = tmp_path / "known.csv"
    path.write_text("algorithm,operation,message_bytes,microseconds\nmd5,digest,,10\n")
    (it,) = read_figures(path, {"sa1110": KNOWN["sa1110"]}, "sa1110")
    assert (it.cycles, it.message_bytes) == (2060, None)


def test_figures_of_calls_that_were_not_counted_are_refused() -> None:
    figure = Observation(
        **{"processor": "sa1110", "algorithm": "md5", "operation": "digest"},
        **{"message_bytes": 5, "cycles": 1.0, "metric": "cycles-model"},
    )
    with pytest.raises(UsageError, match="md5 digest \\(5 bytes\\) have not been counted"):
        with_operations({}, [figure])


def test_a_new_function_follows_from_a_few_processors(runs: Path, tmp_path: Path) -> None:
    """Twice a known one, so that all others are twice as dear too."""
    known = tmp_path / "known.csv"
    costs = {name: 2 * cost(KNOWN[name].processor, plain, 4, 64) for name in NAMES}
    lines = [f"{name},new,encrypt,64,{costs[name]}" for name in ("rv32i", "atmega103", "sa1110")]
    known.write_text("processor,algorithm,operation,message_bytes,cycles\n" + "\n".join(lines))
    found = answered(runs, "predict", "--algorithm", "new", "--known", str(known))
    predicted = {it["processor"]: it for it in found["processors"]}
    assert predicted["sa1110"]["is_known"]
    off = [abs(it["cycles"] / costs[name] - 1) for name, it in predicted.items()]
    assert np.median(off) < 0.25
    assert len(found["references"]) == 3
    assert (
        "measure a new function first on"
        in invoke(runs, "predict", "--algorithm", "new", "--known", str(known)).stdout
    )


def test_alike_functions_are_told_by_their_size_alone_where_all_vary_alike() -> None:
    factors = {name: 1.0 + at for at, name in enumerate(NAMES)}
    observations = [
        msgspec.structs.replace(it, cycles=factors[it.processor] * int(it.algorithm[8:]) + 1e-9)
        for it in observed().observations
        if it.algorithm != "made-up-0"
    ]
    model = AlikeFunctions(msgspec.structs.replace(observed(), observations=observations))
    found = model.predict({"sa1110": 100.0})
    for name, it in found.items():
        assert it.cycles == pytest.approx(100 * factors[name] / factors["sa1110"], rel=1e-3)
        assert it.low <= it.cycles <= it.high


def test_published_calls_get_the_counts_of_the_same_calls() -> None:
    def call(operation: str, size: int | None, counts: dict[str, int] | None) -> Observation:
        return Observation(
            processor="ultrasparc2",
            algorithm="made-up-1",
            operation=operation,
            message_bytes=size,
            cycles=1.0,
            metric="instructions",
            operations=counts,
        )

    counted = operations(1, 16)
    simulated = msgspec.structs.replace(
        observed(), observations=[call("setup", None, counted), call("encrypt", 16, counted)]
    )
    wanted = [call("init-encrypt", None, None), call("encrypt", 16, None), call("encrypt", 5, None)]
    found = lend_operations(msgspec.structs.replace(observed(), observations=wanted), simulated)
    assert [it.operations for it in found.observations] == [counted, counted, None]
    assert {it.processor.metric for it in found.processors.values()} == {"cycles-simulated"}
    assert "1 of 3 calls have none" in found.notes[-1]


@pytest.fixture(scope="module")
def tested(runs: Path) -> dict:
    """What the command prints."""
    return answered(runs, "backtest")


@pytest.mark.slow
def test_back_tests_of_both_models(tested: dict) -> None:
    found = tested
    whole = {it["left_out"]: it for it in found["compared"] if it["part"] == "all"}
    assert list(whole) == ["processor", "kind of processor", "algorithm"]
    for it in whole.values():
        assert it["operations"]["calls"] == it["paper"]["calls"] > 0
        errors = [
            it["operations"][key] for key in ("median", "three_quarters", "nine_tenths", "worst")
        ]
        assert errors == sorted(errors)
    assert whole["processor"]["operations"]["median"] < whole["processor"]["paper"]["median"]
    parts = {it["of"] for it in found["compared"] if it["part"] == "processor"}
    assert parts == set(NAMES) - {"rv32i", "pxa250-400"}


def test_back_tests_are_shown(tested: dict) -> None:
    shown = blocks_on_screen(backtest_blocks(msgspec.convert(tested, Backtests)), width=120)
    for part in ("kind of processor", "by function", "cycles-simulated", "rv32i is not predicted"):
        assert part in shown


def test_sizes_that_some_functions_lack_are_left_out() -> None:
    found = observed()
    short = [
        it for it in found.observations if (it.algorithm, it.message_bytes) != ("made-up-2", 16)
    ]
    some = msgspec.structs.replace(found, observations=short)
    answer = predictions(some, changed("sa1110", registers=13), [], Wanted(sizes=[16]))
    assert {it.algorithm for it in answer.predictions} == {
        f"made-up-{it}" for it in range(ALGORITHMS) if it != 2
    }


def test_a_processor_like_another_keeps_what_is_not_said() -> None:
    it = processor_of(None, "atmega128", ["multiply_bits=0", "has_rotate=TRUE"], "8.5")
    before = KNOWN["atmega128"].processor
    assert it.processor == msgspec.structs.replace(
        before, multiply_bits=0, has_rotate=True, clock_mhz=8.5
    )
    assert it.name == "like-atmega128"
    assert processor_of("atmega128", None, [], None).name == "atmega128"


def test_back_tests_of_published_figures_need_no_reference() -> None:
    found = observed(noise=0.1, names=("sa1110", "octeon", "cortex-m0", "atmega128"))
    compared = backtests(found).compared
    assert [it.left_out for it in compared if it.part == "all"] == [
        "processor",
        "kind of processor",
    ]
    assert math.isfinite(compared[0].operations.median)
    assert len(SIZES) == 2
