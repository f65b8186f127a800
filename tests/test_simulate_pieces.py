"""What simulation is made of: requests, what runners write, caches, programs that hang."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark import contract
from ciphermark.contract.others import SimulatedCase
from ciphermark.errors import WorkError
from ciphermark.run.targets import firmware, intervals, process, toolchain
from ciphermark.run.targets.firmware import OPERATIONS, Row
from ciphermark.run.targets.intervals import Functions, Interval
from ciphermark.run.targets.target import FOLDER, read

CIPHER = msgspec.convert(
    {
        "name": "rc5-32-12-8-ecb",
        "title": "RC5",
        "kind": "cipher",
        "key_bytes": 8,
        "nonce_bytes": 0,
        "tag_bytes": 0,
        "block_bytes": 8,
        "min_message_bytes": 8,
        "standard": "",
        "status": "legacy",
        "status_reason": "",
        "strength_bits": 64,
        "strength_kind": "key-recovery",
        "sources": [],
        "survey": False,
    },
    contract.Algorithm,
)


def row(operation: str, number: int, **changes: object) -> Row:
    usual = Row(
        group=3,
        number=number,
        algorithm="rc5-32-12-8-ecb",
        operation=OPERATIONS.index(operation),
        variant=None,
        backend="reference",
        key_bytes=(8, 8),
        nonce_bytes=(0, 0),
        tag_bytes=0,
        context_bytes=104,
        runs_here=True,
    )
    return msgspec.structs.replace(usual, **changes)


ROWS = [row("encrypt", 0), row("decrypt", 1), row("encrypt", 2, variant="sbox identity")]


def case(operation: str, **fields: object) -> SimulatedCase:
    return SimulatedCase(
        target="sa1110", algorithm="rc5-32-12-8-ecb", operation=operation, **fields
    )


def request(asked: SimulatedCase, rows: list[Row] = ROWS) -> tuple[int, ...]:
    call = firmware.call_of(asked, rows, CIPHER)
    assert call is not None
    return struct.unpack(">8I", call.request())


def test_what_undoes_names_the_row_that_makes_its_input() -> None:
    assert request(case("encrypt", message_bytes=16)) == (3, 0, 0, 1, 8, 0, 16, 1)
    assert request(case("decrypt", message_bytes=16)) == (3, 1, 0, 1, 8, 0, 16, 1)


def test_a_key_is_set_for_sending_unless_another_operation_is_named() -> None:
    assert request(case("setup"))[:4] == (3, 0, 0, 0)
    assert request(case("setup", keyed_for="decrypt"))[:4] == (3, 1, 0, 0)


def test_a_tag_is_compared_by_the_row_that_makes_it() -> None:
    rows = [row("mac", 5, tag_bytes=8)]
    assert request(case("verify", message_bytes=3), rows)[:4] == (3, 5, 5, 2)


def test_what_no_row_has_is_no_call() -> None:
    for asked in (case("seal", message_bytes=1), case("encrypt", message_bytes=8, backend="table")):
        assert firmware.call_of(asked, ROWS, CIPHER) is None
    assert firmware.call_of(case("setup"), [row("digest", 0, key_bytes=(0, 0))], CIPHER) is None


def test_outcomes_stand_in_the_order_of_calls() -> None:
    made = [firmware.call_of(case("encrypt", message_bytes=8), ROWS, CIPHER)] * 3
    lines = ["done 0 17", "left_out 1", "refused 2 -4"]
    assert firmware.outcomes(lines, made) == [("done", 17), ("left_out", None), ("refused", -4)]


@pytest.mark.parametrize("lines", [[], ["done 0 17"], ["done 0 1", "done 2 1"], ["", ""]])
def test_an_image_that_says_less_is_an_error(lines: list[str]) -> None:
    made = [firmware.call_of(case("encrypt", message_bytes=8), ROWS, CIPHER)] * 2
    with pytest.raises(WorkError, match="reported . of 2 calls"):
        firmware.outcomes(lines, made)


REPORT = """\
interval 0 instructions 9 cycles - loads 1 stores 0 stack 16
edge 4 5 1
interval 1 instructions 29 cycles - loads 3 stores 2 stack 48
edge 4 5 1
edge 5 5 6
block 5 108 108:e2511001 10c:1afffffd
block 4 100 100:e1a00000
"""


def test_a_call_is_what_it_takes_beyond_one_that_does_nothing() -> None:
    found = intervals.read(REPORT.splitlines(), Functions({"wait": 0x100, "next": 0x110}))
    empty, call = found.intervals
    no_caches = (None, None, None)
    assert call.beyond(empty) == Interval(20, None, 2, 2, 32, *no_caches, {(5, 5): 6})

    trace = intervals.trace(call.beyond(empty), found.blocks)
    assert trace.times() == {5: 6}
    assert found.blocks[5].function == "wait"
    assert found.blocks[5].instructions[1] == (0x10C, bytes.fromhex("1afffffd"))


def test_misses_of_a_call_are_those_beyond_one_that_does_nothing() -> None:
    report = [
        "interval 0 instructions 5 cycles - loads 1 stores 0 stack 0 code 3 data 1 evicted 0",
        "interval 1 instructions 9 cycles - loads 4 stores 0 stack 0 code 8 data 3 evicted 2",
    ]
    empty, call = intervals.read(report, Functions({})).intervals
    assert call.beyond(empty) == Interval(4, None, 3, 0, 0, 5, 2, 2, {})


@given(st.dictionaries(st.text("abc", min_size=1), st.integers(0, 99), min_size=1), st.integers(0))
def test_an_address_is_in_the_last_function_that_begins_before(
    symbols: dict[str, int], address: int
) -> None:
    found = Functions(symbols).at(address)
    begun = {name: at for name, at in symbols.items() if at <= address}
    assert (found == "") is (not begun)
    if begun:
        assert begun[found] == max(begun.values())


def test_builds_are_found_again_and_old_ones_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = read(FOLDER / "host.toml")
    folders = []
    for number in range(toolchain.KEPT + 2):
        monkeypatch.setattr(toolchain, "compiler_line", lambda target, at=number: f"gcc {at}")
        first, again = (toolchain.cached_toolchain(host, tmp_path, root=tmp_path) for _ in range(2))
        assert first.folder == again.folder
        folders.append(first.folder)
    assert len(set(folders)) == toolchain.KEPT + 2
    assert [it.exists() for it in folders] == [False, False, *[True] * toolchain.KEPT]


def test_a_program_that_hangs_is_killed_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_SECONDS", 0.2)
    with pytest.raises(WorkError, match=r"did not end in 0\.2 s and was killed"):
        process.run(sys.executable, "-c", "while True: pass")


def test_nothing_is_started_after_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_running", process._Running())
    process.stop_all()
    with pytest.raises(WorkError, match="was not started: stopped"):
        process.run("true")
