"""What fits a node, and the least clock: `ciphermark model feasible` and `model require`."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from ciphermark.answers.models.block_model import BlockModel
from ciphermark.answers.models.costs import Costs, costs
from ciphermark.answers.models.feasible import (
    Feasibility,
    Wanted,
    feasible,
    feasible_blocks,
    require,
)
from ciphermark.answers.models.observations import Function, Observation, Observed, simulated
from ciphermark.answers.models.own_costs import INSTRUCTIONS_ONLY, OwnCosts
from ciphermark.answers.models.processors import (
    KnownProcessor,
    Prediction,
    described_processors,
    nearest,
)
from ciphermark.cli.main import app
from ciphermark.errors import UsageError
from ciphermark.record.store import Store
from ciphermark.run.engine import Engine
from ciphermark.workload import rows, rows_table
from on_screen import blocks_on_screen
from simulation_example import (
    CODE_BYTES,
    CONTEXT_BYTES,
    STACK_BYTES,
    simulated_run,
    simulations,
    write_target,
)

KNOWN = {it.name: it for it in described_processors()}
MD5, RC4, IDEA = (
    Function("md5", "digest"),
    Function("rc4-128", "keystream"),
    Function("idea-ecb", "encrypt"),
)


def observed(**factors: float) -> Observed:
    run = simulated_run(simulations(factors=factors))
    return simulated("a test", run.simulations, run.targets)


def changed(name: str, **fields: object) -> KnownProcessor:
    """A processor that is not known."""
    processor = msgspec.structs.replace(KNOWN[name].processor, **fields)
    return KnownProcessor(name="new", title="New", processor=processor)


def of(found: list[Feasibility], function: Function) -> Feasibility:
    (it,) = (it for it in found if it.function == function.name)
    return it


def wanted(seconds: float = 1.0, **fields: Any) -> Wanted:
    return Wanted(**{"seconds": seconds, "with_setup": True, "message_bytes": 16} | fields)


def test_own_figures_come_first_and_are_exact() -> None:
    it = OwnCosts(observed()).predict(KNOWN["atmega128"], *MD5, 55)
    assert (it.cycles, it.low, it.high) == (31250, 31250, 31250)
    assert (it.basis, it.outside) == ("measured", None)


def test_between_its_sizes_a_processor_has_its_own_line() -> None:
    it = OwnCosts(observed(atmega128=3.0)).predict(KNOWN["atmega128"], *MD5, 40)
    assert it.cycles == pytest.approx(3 * 31250, rel=1e-3)
    # Copying a last block may take a fifth of its price, and have lowered the price that is found.
    assert 0.75 * it.cycles < it.low < it.cycles < it.high < 1.25 * it.cycles


def test_another_clock_changes_no_cycles_and_another_core_is_not_known() -> None:
    processor = KNOWN["atmega128"].processor
    own = OwnCosts(observed())

    def asked(**fields: object) -> Prediction:
        it = msgspec.structs.replace(processor, **fields)
        named = KnownProcessor(name="atmega128", title="", processor=it)
        return own.predict(named, *MD5, 55)

    assert asked(clock_mhz=8.0, ram_kb=1.0).cycles == 31250
    assert asked(multiply_bits=0).cycles is None


def test_instructions_are_said_to_be_no_cycles() -> None:
    own = OwnCosts(observed())
    for name in ("m16c", "atmega128"):
        counted = KNOWN[name].processor.metric == "instructions"
        it = own.predict(KNOWN[name], *MD5, 55)
        assert it.outside == (INSTRUCTIONS_ONLY if counted else None)


def test_the_model_predicts_what_all_processors_agree_on() -> None:
    it = BlockModel(observed()).predict(changed("sa1110"), *IDEA, 32)
    assert it.cycles == pytest.approx(4 * 40_000 / 32, rel=0.01)
    assert it.low == pytest.approx(it.cycles, rel=0.02)
    assert (it.basis, it.outside) == ("paper-model", None)
    assert it.nearest[0] == "sa1110"


def test_key_setup_of_a_cipher_is_a() -> None:
    it = BlockModel(observed()).predict(changed("sa1110"), "idea-ecb", "setup", None)
    assert it.cycles == pytest.approx(60_000 / 32, rel=0.01)


def test_the_interval_is_of_processors_left_out() -> None:
    values = {"sa1110": 1000.0, "cortex-m4": 1500.0, "cortex-m0": 2500.0, "rv32i": 1800.0}
    data = Observed(
        source="a test",
        processors={name: KNOWN[name] for name in values},
        observations=[
            Observation(
                processor=name,
                algorithm="hmac-sha256",
                operation="setup",
                message_bytes=None,
                cycles=cycles,
                metric="instructions",
            )
            for name, cycles in values.items()
        ],
    )

    def best(cycles: list[float]) -> float:
        """Of least squared relative error."""
        inverse = 1 / np.array(cycles)
        return inverse.sum() / (inverse**2).sum()

    errors = [
        math.log(best([it for other, it in values.items() if other != name]) / cycles)
        for name, cycles in values.items()
    ]
    factor = math.exp(stats.t.ppf(0.975, 3) * math.sqrt(np.mean(np.square(errors))))
    found = BlockModel(data).predict(changed("sa1110"), "hmac-sha256", "setup", None)
    assert found.cycles == pytest.approx(best(list(values.values())))
    # Student's quantile is good to some thousandths.
    assert found.high == pytest.approx(found.cycles * factor, rel=5e-3)
    assert found.low == pytest.approx(found.cycles / factor, rel=5e-3)


def test_of_two_processors_no_interval_is_stated() -> None:
    data = observed().of(["sa1110", "cortex-m4"])
    it = BlockModel(data).predict(changed("sa1110"), *MD5, 55)
    assert it.cycles is not None and (it.low, it.high) == (None, None)


def test_functions_that_multiply_have_parameters_for_either_kind() -> None:
    # Of the targets of the example, these have no multiply instruction.
    model = BlockModel(observed(atmega103=4.0, rv32i=4.0))
    without = model.predict(changed("sa1110", multiply_bits=0), *IDEA, 32)
    having = model.predict(changed("sa1110"), *IDEA, 32)
    assert without.cycles / having.cycles == pytest.approx(4, rel=0.02)
    # A hash does not multiply, and so has one set of parameters.
    without = model.predict(changed("sa1110", multiply_bits=0), *MD5, 55)
    assert without.cycles == model.predict(changed("sa1110"), *MD5, 55).cycles


@pytest.mark.parametrize(
    ("fields", "function", "size", "reason"),
    [
        ({}, Function("aes-128-ecb", "encrypt"), 16, "no figure of aes-128-ecb encrypt in "),
        ({"bus_width_bits": 64}, IDEA, 16, "no known processor has a bus of 64 bits"),
    ],
)
def test_what_is_outside_is_said(
    fields: dict[str, object], function: Function, size: int, reason: str
) -> None:
    it = BlockModel(observed()).predict(changed("sa1110", **fields), *function, size)
    assert reason in it.outside


def test_width_counts_before_instructions() -> None:
    names = nearest(KNOWN["cortex-m4"].processor, [KNOWN[it] for it in ("m16c", "rv32i", "sa1110")])
    assert names[-1] == "m16c"
    assert nearest(KNOWN["atmega128"].processor, KNOWN.values(), most=1) == ["atmega128"]


def known(**factors: float) -> Costs:
    return costs(observed(**factors))


def test_a_deadline_is_for_key_setup_and_message() -> None:
    # RC4: 70 000 + 16 · 800 cycles·bits on a bus of 8 bits, at 16 MHz.
    seconds = (70_000 + 16 * 800) / 8 / 16e6
    found = of(feasible(known(), KNOWN["atmega128"], wanted(1.01 * seconds)), RC4)
    assert found.cycles == pytest.approx((70_000 + 16 * 800) / 8)
    assert (found.verdict, found.needs[0].margin) == ("fits", pytest.approx(1.01, rel=1e-3))
    late = of(feasible(known(), KNOWN["atmega128"], wanted(0.99 * seconds)), RC4)
    assert late.verdict == "does not fit"


def test_a_rate_is_for_messages_alone() -> None:
    found = feasible(known(), KNOWN["atmega128"], wanted(with_setup=False))
    assert of(found, RC4).cycles == pytest.approx(16 * 800 / 8)


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        ({"flash_bytes": CODE_BYTES}, "fits"),
        ({"flash_bytes": CODE_BYTES - 1}, "does not fit"),
        ({"ram_bytes": CONTEXT_BYTES + STACK_BYTES}, "fits"),
        ({"ram_bytes": CONTEXT_BYTES + STACK_BYTES - 1}, "does not fit"),
    ],
)
def test_memory_is_code_and_context_with_stack(limits: dict[str, int], verdict: str) -> None:
    found = feasible(known(), KNOWN["atmega128"], wanted(**limits))
    assert {it.verdict for it in found} == {verdict}


def with_table(**changes: Any) -> Costs:
    """The figures with kernels of half the cycles and twice the code beside the reference."""
    data = observed()
    tables = [
        msgspec.structs.replace(it, backend="table", cycles=it.cycles / 2)
        for it in data.observations
    ]
    sizes = {
        (name, algorithm, "table"): msgspec.structs.replace(it, code_bytes=2 * CODE_BYTES)
        for (name, algorithm, _), it in data.footprints.items()
    }
    changed = {"footprints": data.footprints | sizes} | changes
    return costs(
        msgspec.structs.replace(data, observations=[*data.observations, *tables], **changed)
    )


@pytest.mark.parametrize(
    ("flash_bytes", "backend"),
    [
        (None, "table"),
        (2 * CODE_BYTES, "table"),
        (2 * CODE_BYTES - 1, "reference"),
        # Neither fits: the smaller one comes nearer.
        (CODE_BYTES - 1, "reference"),
    ],
)
def test_the_fastest_kernel_that_fits_is_taken(flash_bytes: int | None, backend: str) -> None:
    slow = of(feasible(known(), KNOWN["atmega128"], wanted()), MD5).cycles
    found = feasible(with_table(), KNOWN["atmega128"], wanted(flash_bytes=flash_bytes))
    assert {it.backend for it in found} == {backend}
    assert of(found, MD5).cycles == pytest.approx(slow / 2 if backend == "table" else slow)


def test_a_kernel_of_unknown_size_comes_after_one_that_fits() -> None:
    unknown = with_table(footprints=observed().footprints)
    found = feasible(unknown, KNOWN["atmega128"], wanted(flash_bytes=CODE_BYTES))
    assert {it.backend for it in found} == {"reference"}


def test_the_key_setup_of_a_kernel_is_its_own() -> None:
    data = with_table().observed
    lacking = [it for it in data.observations if (it.backend, it.operation) != ("table", "setup")]
    both = costs(msgspec.structs.replace(data, observations=lacking))
    for with_setup, backend in ((True, "reference"), (False, "table")):
        found = feasible(both, KNOWN["atmega128"], wanted(with_setup=with_setup))
        assert of(found, IDEA).backend == backend


def test_a_kernel_that_is_refused_is_not_taken() -> None:
    refused = {("md5", "table"), ("rc4-128", "table"), ("rc4-128", "reference")}
    found = feasible(with_table(), KNOWN["atmega128"], wanted(), refused=refused)
    assert {it.algorithm: it.backend for it in found} == {"md5": "reference", "idea-ecb": "table"}


def test_another_processor_is_predicted_from_the_reference() -> None:
    plain, both = (
        feasible(it, changed("sa1110", bus_width_bits=16), wanted())
        for it in (known(), with_table())
    )
    assert [it.cycles for it in plain] == [it.cycles for it in both]


def test_memory_that_is_not_known_leaves_it_uncertain() -> None:
    data = msgspec.structs.replace(observed(), footprints={})
    found = feasible(costs(data), KNOWN["atmega128"], wanted(flash_bytes=10_000))
    assert {it.verdict for it in found} == {"uncertain"}
    late = feasible(costs(data), KNOWN["atmega128"], wanted(1e-9, flash_bytes=10_000))
    assert {it.verdict for it in late} == {"does not fit"}


def test_an_interval_around_the_limit_is_uncertain() -> None:
    spread = known(atmega103=0.5, atmega128=2.0, m16c=0.7, sa1110=1.5)
    processor = changed("cortex-m4", has_divide=False)
    (need, *_) = of(feasible(spread, processor, wanted()), MD5).needs
    assert need.low < need.takes < need.high
    between = of(feasible(spread, processor, wanted(1.01 * need.takes)), MD5)
    assert between.verdict == "uncertain"
    assert of(feasible(spread, processor, wanted(1.01 * need.high)), MD5).verdict == "fits"
    assert of(feasible(spread, processor, wanted(0.99 * need.low)), MD5).verdict == "does not fit"


def test_a_guess_decides_nothing() -> None:
    wider = changed("sa1110", bus_width_bits=64)
    for seconds in (1e-9, 1.0):
        found = of(feasible(known(), wider, wanted(seconds)), MD5)
        assert (found.verdict, found.needs[0].is_guess) == ("uncertain", True)
        assert "64 bits" in found.outside
    # But memory that is too small is too small.
    small = feasible(known(), wider, wanted(ram_bytes=1))
    assert of(small, MD5).verdict == "does not fit"


def test_memory_of_a_new_processor_is_that_of_the_nearest() -> None:
    found = of(feasible(known(), changed("sa1110"), wanted(flash_bytes=10_000)), MD5)
    time, flash = found.needs
    assert (time.source, flash.source, flash.takes) == ("paper-model", "sa1110", CODE_BYTES)


def test_broken_functions_come_last_whatever_fits() -> None:
    statuses = {"rc4-128": "broken", "md5": "legacy"}
    processor, limit = KNOWN["atmega128"], wanted(1.2e-3)
    found = feasible(known(), processor, limit, statuses)
    assert [(it.algorithm, it.status) for it in found] == [
        ("idea-ecb", None),
        ("md5", "legacy"),
        ("rc4-128", "broken"),
    ]
    lines = blocks_on_screen(feasible_blocks(processor, limit, found, []), width=120).splitlines()
    place = lines.index("Broken functions, whether they fit or not")
    assert "rc4-128" in lines[place + 1] and "broken" in lines[place + 1]
    assert "broken" not in "".join(lines[:place])


def test_what_fits_comes_first_and_the_cheapest_of_it() -> None:
    verdicts = feasible(known(), KNOWN["atmega128"], wanted(1.2e-3))
    assert [it.algorithm for it in verdicts] == ["rc4-128", "idea-ecb", "md5"]
    assert [it.verdict for it in verdicts] == ["fits", "fits", "does not fit"]


class Oracle:
    """A model that knows one function."""

    def predict(
        self, processor: KnownProcessor, algorithm: str, operation: str, message_bytes: int | None
    ) -> Prediction:
        cycles = 1234.0 if (algorithm, operation) == MD5 else None
        return Prediction(
            cycles=cycles,
            low=cycles,
            high=cycles,
            basis="operation-model",
            nearest=[],
            outside=None,
        )


def test_a_better_model_stands_between_figures_and_the_papers() -> None:
    data = costs(observed(), [Oracle()])
    new = feasible(data, changed("sa1110"), wanted())
    assert [of(new, it).needs[0].source for it in (MD5, IDEA)] == ["operation-model", "paper-model"]
    assert of(new, MD5).cycles == 1234
    assert of(feasible(data, KNOWN["sa1110"], wanted()), MD5).needs[0].source == "measured"


def test_the_least_clock_follows_the_width() -> None:
    found = require(known(), IDEA, 16, 1e-3)
    assert [(it.bus_width_bits, it.has_multiply) for it in found] == [
        (width, multiplies) for width in (8, 16, 32) for multiplies in (False, True)
    ]
    for it in found:
        cycles = (60_000 + 2 * 40_000) / it.bus_width_bits
        assert it.clock_mhz == pytest.approx(cycles / 1e3, rel=0.01)
        assert it.low <= it.clock_mhz <= it.high


def test_a_width_that_has_only_instructions_is_outside() -> None:
    assert KNOWN["m16c"].processor.metric == "instructions"
    said = {it.outside for it in require(known(), IDEA, 16, 1e-3) if it.bus_width_bits == 16}
    assert said == {"no known processor has a bus of 16 bits"}


def test_known_processors_stand_beside_by_their_own_figures() -> None:
    found = require(known(atmega103=2.0), IDEA, 16, 1e-3)
    without, having = found[:2]
    assert without.measured == {"atmega103": pytest.approx(35.0, rel=1e-3)}
    assert having.measured == {"atmega128": pytest.approx(17.5, rel=1e-3)}
    # Of the one with 16 bits there are instructions alone.
    assert found[2].measured == found[3].measured == {}


@pytest.fixture
def stored(store: Store) -> Store:
    run = simulated_run()
    store.save(run, rows_table(rows(run), "simulation"))
    return store


def model(stored: Store, *arguments: object) -> Any:
    arguments = ("model", *map(str, arguments), "--runs", str(stored.root))
    return CliRunner(env={"COLUMNS": "120"}).invoke(app, list(arguments))


def test_the_command_says_what_fits(stored: Store) -> None:
    shown = model(
        stored, "feasible", "--target", "atmega128", "--deadline", "1.2ms", "--size", 16
    ).stdout
    assert (
        "ATmega128: 16.0 MHz; key setup and 16 B within 1.20 ms; 128 KiB of flash; 4 KiB" in shown
        and shown.startswith(("Fits: ", "Nothing known fits"))
    )
    fits, _, broken = shown.partition("Broken functions, whether they fit or not")
    assert "rc4-128 keystream" in broken and "idea-ecb encrypt" in fits
    assert "takes 1.63 times the time there is: md5 digest" in broken


def test_the_command_names_the_kernel_that_is_taken(store: Store) -> None:
    plain = simulations(["atmega128"])
    tables = [
        msgspec.structs.replace(
            it,
            case=msgspec.structs.replace(it.case, backend="table"),
            value=(it.value or 0) // 2,
            code_bytes=10 * CODE_BYTES,
        )
        for it in plain
        if it.case.algorithm == "idea-ecb"
    ]
    for number, found in enumerate((plain, tables)):
        run = simulated_run(found, seed=number)
        store.save(run, rows_table(rows(run), "simulation"))
    asked = ("feasible", "--target", "atmega128", "--deadline", "1.2ms", "--size", 16)
    assert "idea-ecb (table) in " in model(store, *asked).stdout
    small = model(store, *asked, "--flash", "4K").stdout
    assert "idea-ecb (reference) in " in small
    between = model(store, *asked[:-1], 15, "--json").stdout
    (idea,) = (
        it for it in msgspec.json.decode(between)["functions"] if it["algorithm"] == "idea-ecb"
    )
    time = idea["needs"][0]
    assert idea["backend"] == "table" and time["low"] < time["takes"] < time["high"]


@pytest.mark.engine
def test_the_command_knows_kernels_without_a_figure_and_their_timing(
    store: Store, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CIPHERMARK_ENGINE", str(engine.path))
    (first, *_) = simulations(["sa1110"])
    found = [
        msgspec.structs.replace(
            first,
            case=msgspec.structs.replace(
                first.case, algorithm=algorithm, operation="mac", message_bytes=32
            ),
        )
        for algorithm in ("cmac-aes-128", "siphash-2-4-64")
    ]
    run = simulated_run(found)
    store.save(run, rows_table(rows(run), "simulation"))
    asked = ("feasible", "--target", "sa1110", "--rate", "1", "--size", 32)
    text = " ".join(model(store, *asked).stdout.split())
    simulate = "ciphermark simulate sa1110 --algorithms cmac-aes-128 --backends"
    assert f"kernels without a figure here, which may be faster: {simulate}" in text
    assert "time may depend on secrets, and --constant-time leaves them out: cmac-aes-128" in text
    text = " ".join(model(store, *asked, "--constant-time").stdout.split())
    assert "is stated to take constant time: cmac-aes-128" in text
    assert text.startswith("Fits: siphash-2-4-64 (reference) in ")


def test_the_command_prints_json(stored: Store) -> None:
    asked = ("feasible", "--target", "atmega128", "--rate", "1000", "--size", 16, "--flash", "1K")
    document = msgspec.json.decode(model(stored, *asked, "--json").stdout)
    assert document["wanted"]["flash_bytes"] == 1024
    (rc4,) = (it for it in document["functions"] if it["algorithm"] == "rc4-128")
    assert rc4["verdict"] == "does not fit"
    assert rc4["reasons"] == "takes 1.46 times the flash there is"
    assert rc4["needs"][0]["margin"] == pytest.approx(1e-3 / (1600 / 16e6))


def test_a_processor_may_be_a_file(stored: Store, tmp_path: Path) -> None:
    path = write_target(tmp_path, "mine", "sa1110", clock_mhz="50")
    shown = model(stored, "feasible", "--target", path, "--deadline", "5ms").stdout
    assert "mine: 50.0 MHz" in shown and "paper-model" in shown
    assert "nearest known processors: sa1110" in shown


def test_the_command_says_what_clock_is_needed(stored: Store) -> None:
    asked = ("require", "--algorithm", "idea-ecb", "--deadline", "1ms", "--size", 16)
    shown = model(stored, *asked).stdout
    assert "idea-ecb encrypt: key setup and 16 B within 1.00 ms" in shown
    assert "17.5 MHz" in shown
    # Of 16 bits only instructions are known.
    assert re.search(r"^without multiply +~", shown, re.M) and "~ no known processor has" in shown
    document = msgspec.json.decode(model(stored, *asked, "--json").stdout)
    assert [it["bus_width_bits"] for it in document["processors"]] == [8, 8, 16, 16, 32, 32]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["feasible", "--target", "atmega128"], "either --deadline 5ms or --rate 10"),
        (
            ["feasible", "--target", "atmega128", "--deadline", "1ms", "--rate", "1"],
            "either --deadline 5ms or --rate 10",
        ),
        (["feasible", "--target", "atmega12", "--rate", "1"], "near: atmega128"),
        (["feasible", "--target", "./none.toml", "--rate", "1"], "cannot be read"),
        (["feasible", "--target", "atmega128", "--rate", "0"], "--rate '0' is not a number"),
        (["feasible", "--target", "sa1110", "--rate", "1", "--size", "x"], "not a message size"),
        (
            ["feasible", "--target", "sa1110", "--rate", "1", "--flash", "much"],
            "--flash 'much' is not a size of memory",
        ),
        (["require", "--algorithm", "idea", "--deadline", "1ms"], "near: idea-ecb"),
        (["require", "--algorithm", "md5", "--deadline", "soon"], "'soon' is not a time"),
        (
            ["require", "--algorithm", "md5", "--operation", "mac", "--deadline", "1ms"],
            "there is no operation 'mac'",
        ),
    ],
)
def test_what_cannot_be_is_refused(stored: Store, arguments: list[str], sentence: str) -> None:
    ended = model(stored, *arguments)
    assert isinstance(ended.exception, UsageError)
    assert sentence in str(ended.exception)


def test_a_file_with_an_impossible_value_is_refused(stored: Store, tmp_path: Path) -> None:
    path = write_target(tmp_path, "mine", "sa1110", clock_mhz="-1")
    ended = model(stored, "feasible", "--target", path, "--rate", "1")
    assert isinstance(ended.exception, UsageError)
    assert "mine.toml is not valid: processor.clock_mhz is -1" in str(ended.exception)


def test_the_first_line_names_legacy_functions_only_where_no_other_fits(stored: Store) -> None:
    asked = ("feasible", "--target", "atmega128", "--deadline", "100ms", "--size", 16, "--json")
    fitting = [
        it
        for it in msgspec.json.decode(model(stored, *asked).stdout)["functions"]
        if it["verdict"] == "fits"
    ]
    first = model(stored, *asked[:-1]).stdout.splitlines()[0]
    sound = {it["algorithm"] for it in fitting if it["status"] not in ("broken", "legacy")}
    legacy = {it["algorithm"] for it in fitting if it["status"] == "legacy"}
    named = sound or legacy
    assert named and any(name in first for name in named)
    assert not any(name in first for name in legacy - named)
