"""Stored runs of `ciphermark tune`, which left, and flags of `simulate` in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.command.report import write_report
from ciphermark.errors import UsageError
from ciphermark.record.store import Store
from ciphermark.run.targets.target import FOLDER, labelled, read, with_flags
from ciphermark.run.targets.toolchain import Toolchain, kernel_sources
from ciphermark.view.export import FORMATS
from ciphermark.view.frame import row_blocks
from ciphermark.view.screen import show
from ciphermark.workload import rows, rows_from_table
from ciphermark.workloads.single.comparison import Figured, compare
from ciphermark.workloads.single.pairing import Selection
from engine_fixture import Command
from on_screen import on_screen

RUN = str(Path(__file__).parent / "golden" / "run-1.9-tuning")


def test_a_stored_run_is_shown_and_exported(store: Store) -> None:
    name = store.resolve(RUN)
    context = store.context(name)
    stored = rows_from_table(store.rows(name), "tuning")
    for width in (80, 120):
        text = on_screen(show, row_blocks(context, stored), width=width)
        assert max(map(len, text.splitlines())) <= width
    words = " ".join(text.split())
    assert "sha256 reference digest on atmega128 gcc-5 -O2 1 000 1.00 500 40" in words
    assert "sha256 reference digest on epyc-9b45-kvm" in words
    assert "wrong on the target: made up" in words
    exported = {name: it.export(context, stored) for name, it in FORMATS.items()}
    assert all(exported.values())
    assert len(exported["csv"].splitlines()) == 1 + len(stored)
    # Anew, as for an export without names.
    assert len(rows(store.load(name))) == len(stored)


def test_a_stored_run_has_no_report_and_is_not_compared(store: Store) -> None:
    run = store.load(store.resolve(RUN))
    with pytest.raises(UsageError, match="has no report: ciphermark show"):
        write_report(run, rows(run), store.root, store.root / "report.html", facts=[])
    with pytest.raises(UsageError, match="of kernels that were compiled in several ways.* show"):
        compare(Figured.of(run), Figured.of(run), Selection(), Selection(), 0.05)


@pytest.mark.parametrize(
    "flags", ["", "O3", "-O3 x", "-I/etc", "-O2 -ox", "-march=native", "-flto"]
)
def test_flags_that_cannot_be_tried_are_refused(flags: str) -> None:
    with pytest.raises(UsageError, match="--flags"):
        with_flags("rv32i", flags)


def test_flags_take_the_place_of_the_level_of_a_target() -> None:
    target = labelled(with_flags("m16c-o3", "-O2  -funroll-loops"))
    assert target.name == "m16c-o3@-O2 -funroll-loops"
    assert (target.optimise, target.variant_of) == ("-O2 -funroll-loops", "m16c")
    assert labelled("rv32i").optimise == read(FOLDER / "rv32i.toml").optimise


@pytest.mark.targets
def test_a_kernel_is_simulated_under_several_flags(command: Command, tmp_path: Path) -> None:
    if missing := Toolchain(read(FOLDER / "atmega128.toml"), kernel_sources(), tmp_path).missing():
        pytest.skip(missing)
    ended = command(
        *("simulate", "atmega128", "--algorithms", "tea-ecb", "--operations", "encrypt"),
        *("--sizes", "64", "--flags=-O1", "--flags=-Onone", "--json"),
    )
    own, other, refused = ended.document["rows"][0], ended.document["rows"][-1], ended.messages
    assert (own["target"], other["target"]) == ("atmega128", "atmega128@-O1")
    assert own["code_bytes"] != other["code_bytes"] and own["value"] != other["value"]
    assert "is not compiled with -Onone: its compiler refuses that" in refused
