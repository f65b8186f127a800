"""What `ciphermark list` prints, on narrow and wide terminals and for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec
import pytest
from typer.testing import CliRunner, Result

from ciphermark.cli import show_listing as listing
from ciphermark.cli.main import app
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.studies import registry
from ciphermark.view.blocks import Block
from ciphermark.view.blocks import Table as TableBlock
from ciphermark.view.column import Column, of_words
from lent_engine import LentEngine, all_algorithms, provider
from on_screen import blocks_on_screen
from synthetic import CRASH, synthetic_run

WIDTHS = (80, 120)


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ciphermark.run.engine.Engine", LentEngine)


def printed(blocks: Iterable[Block], width: int) -> list[str]:
    return blocks_on_screen(blocks, width=width).splitlines()


def listed(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["list", *arguments])


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_each_algorithm_has_its_status_beside_it(width: int) -> None:
    lines = printed(listing.algorithms(list(all_algorithms())), width)
    assert max(map(len, lines)) <= width
    for facts in all_algorithms():
        [place] = [place for place, line in enumerate(lines) if line.split()[:1] == [facts.name]]
        assert facts.status in lines[place]
        assert f" {facts.strength_bits} " in lines[place]
        # A long standard goes on in the lines below.
        said = " ".join(" ".join(lines[place : place + 3]).split())
        assert facts.standard.split()[0] in lines[place]
        assert facts.standard in said


@pytest.mark.parametrize("width", WIDTHS)
def test_a_long_path_is_broken_and_not_cut(width: int) -> None:
    path = f"/opt/{'a-folder-with-a-name/' * 8}libnettle.so"
    lines = printed(listing.providers([provider("nettle", f"{path} cannot be loaded")]), width)
    assert max(map(len, lines)) <= width
    assert path in "".join("".join(lines).split())


def test_algorithms_come_by_kind() -> None:
    lines = printed(listing.algorithms(list(all_algorithms())), 80)[1:-2]
    named = [line.split() for line in lines if line and not line.startswith((" ", "Left"))]
    assert len(named) == len(all_algorithms())
    kinds = list(dict.fromkeys(words[1] for words in named))
    assert kinds == ["aead", "cipher", "stream", "mac", "hash"]


def test_what_does_not_fit_is_named() -> None:
    facts = list(all_algorithms())
    narrow = printed(listing.algorithms(facts), 80)
    assert narrow[-3] == "Left out at 80 columns: title, against"
    assert narrow[-1].startswith(f"{len(facts)} algorithms. ")
    assert "AES-128-GCM" not in "\n".join(printed(listing.algorithms(facts), 80))
    wide = "\n".join(printed(listing.algorithms(facts), 120))
    assert "AES-128-GCM" in wide and "key-recovery" in wide
    assert "Left out" not in wide


@pytest.mark.parametrize("width", WIDTHS)
def test_a_library_that_cannot_be_used_says_why_and_what_to_type(width: int) -> None:
    libraries = [
        provider("openssl"),
        provider("nettle", "its headers are not installed: apt-get install nettle-dev"),
    ]
    lines = printed(listing.providers(libraries), width)
    place = next(place for place, line in enumerate(lines) if line.startswith("nettle"))
    usable, missing = " ".join(lines[1:place]), " ".join(lines[place:])
    assert usable.split() == ["openssl", "usable", "Openssl", "1.2.3", "/usr/lib/libopenssl.so"]
    assert missing.split()[:3] == ["nettle", "not", "usable"]
    assert "apt-get install nettle-dev" in missing


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("reason", ["", "its library is not installed"])
def test_what_changes_the_figures_of_a_library_stands_under_it(width: int, reason: str) -> None:
    notice = "OPENSSL_ia32cap is set to ~0x200: OpenSSL leaves instructions unused"
    library = msgspec.structs.replace(provider("openssl", reason), notice=notice)
    _, first, *rest = printed(listing.providers([library, provider("nettle")]), width)
    assert first.split()[0] == "openssl"
    before_the_next = " ".join(" ".join([first, *rest]).partition("nettle")[0].split())
    assert before_the_next.endswith(notice)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_study_has_its_source_and_its_command(width: int) -> None:
    text = " ".join(" ".join(printed(listing.studies(registry.summaries()), width)).split())
    for summary in registry.summaries():
        assert summary.title in text
        assert summary.source in text
    assert "ciphermark study NAME" in text


@pytest.mark.parametrize("width", WIDTHS)
def test_each_run_stands_on_one_line(width: int) -> None:
    good, bad = synthetic_run(seed=1).context, synthetic_run(seed=2, failed={0: CRASH}).context
    bad.interrupted = True
    heading, first, second = printed(listing.runs([good, bad]), width)[:3]
    assert heading.split()[-4:] == ["machine", "plan", "settled", "errors"]
    assert first.split()[0] == good.run
    assert first.split()[-4:] == ["epyc-9b45-kvm", "survey", f"{good.converged}/{good.cases}", "0"]
    assert second.split()[-3:] == ["interrupted", f"{bad.converged}/{bad.cases}", "1"]


def test_the_date_of_a_run_is_shown_where_there_is_room() -> None:
    runs = [synthetic_run(seed=1).context]
    assert "2026-11-21 09:16 UTC" in "\n".join(printed(listing.runs(runs), 120))


def test_no_runs_says_what_makes_the_first(store: Store) -> None:
    result = listed("runs", "--runs", str(store.root))
    assert result.exit_code == 0
    assert "No runs are stored here; ciphermark survey makes the first." in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("what", ["algorithms", "providers", "implementations", "studies"])
def test_every_list_is_there_for_people_and_for_machines(what: str) -> None:
    things = json.loads(listed(what, "--json").stdout)[what]
    text = listed(what, *(["--algorithms", "all"] if what == "implementations" else [])).stdout
    assert things
    for thing in things:
        assert (thing.get("name") or thing.get("algorithm") or thing["study"]) in text


def test_runs_are_listed_newest_first_up_to_a_limit(store: Store, run_rows: Table) -> None:
    runs = [synthetic_run(seed=seed) for seed in (1, 2, 3)]
    for run in runs:
        store.save(run, run_rows)
    found = listed("runs", "--json", "--limit", "2", "--runs", str(store.root))
    listed_runs = json.loads(found.stdout)["runs"]
    assert [it["run"] for it in listed_runs] == [runs[2].context.run, runs[1].context.run]


def test_people_get_the_last_runs_and_the_number_of_older_ones(
    store: Store, run_rows: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ciphermark.cli.listing.SHOWN_RUNS", 2)
    runs = [synthetic_run(seed=seed) for seed in (1, 2, 3)]
    for run in runs:
        store.save(run, run_rows)
    found = listed("runs", "--runs", str(store.root))
    assert runs[2].context.run in found.stdout and runs[0].context.run not in found.stdout
    assert "1 older runs are not shown: --limit 3 lists all" in found.stderr
    everything = listed("runs", "--json", "--runs", str(store.root))
    assert len(json.loads(everything.stdout)["runs"]) == 3


def test_a_run_that_cannot_be_read_is_said_beside_the_others(
    store: Store, run: Run, run_rows: Table
) -> None:
    store.save(run, run_rows)
    damaged = synthetic_run(seed=7)
    folder = store.save(damaged, run_rows)
    (store.root / "index.json").unlink()
    (folder / "context.parquet").write_bytes(b"cut short")
    result = listed("runs", "--runs", str(store.root))
    assert result.exit_code == 0
    assert run.context.run in result.stdout
    assert damaged.context.run in result.stderr


def test_names_are_whole_where_texts_can_be_broken() -> None:
    columns: list[Column[str]] = [
        of_words("name", lambda it: it),
        of_words("said", lambda it: "many words that can be broken over several lines", wraps=True),
    ]
    name = "a-name-that-is-to-be-copied"
    lines = blocks_on_screen([TableBlock(columns=columns, rows=[name])], width=50).splitlines()
    assert any(line.startswith(name) for line in lines)
    assert max(map(len, lines)) <= 50
