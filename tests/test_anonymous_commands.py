"""The anonymous form of every run goes through every command that takes a run."""

from __future__ import annotations

from pathlib import Path

import pytest

import advice_example
from ciphermark.record.anonymous.run import anonymous
from ciphermark.record.anonymous.words import Names
from ciphermark.record.run_folder import read_run
from ciphermark.record.store import Store
from ciphermark.workload import rows, rows_table
from engine_fixture import Command, Ended

GOLDEN = sorted(Path(__file__).with_name("golden").glob("run-*"))

SUITES = "suites"
"""A run of `esp`, which no golden run is."""

OF_A_RUN = (
    *(("show", "{}"), ("show", "{}", "--json"), ("report", "{}"), ("compare", "{}", "{}")),
    *(("export", "{}", "--format", it) for it in ("json", "latex")),
    *(("advise", "--for", it, "--run", "{}", "--explain") for it in ("ipsec", "mac-only")),
    ("advise", "--for", "tls", "--run", "{}", "--json"),
    ("advise", "--for", "ipsec", "--run", "{}", "--peer-supports", "aes128-sha1,3des-md5"),
    *(("capacity", "--run", "{}", *it) for it in (("--for", "ipsec"), ("--json",))),
)
OF_ALL = (
    ("list", "runs"),
    ("list", "machines"),
    ("site", "{folder}"),
    ("machines", "matrix"),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Command, dict[str, str]]:
    """A store of anonymous runs, whose identifiers are by the name of their folder."""
    folder = tmp_path_factory.mktemp("shared")
    store, names, runs = Store(folder / "runs"), Names(), {}
    suites = Store(folder / "own")
    advice_example.stored(suites)
    [own] = suites.run_ids()
    for path in [*GOLDEN, suites.folder(own)]:
        run = read_run(path)
        of_rows = [rows_table(rows(it), it.context.workload) for it in (run, *run.also)]
        kept = anonymous(run, names)
        store.save(kept, of_rows[0], of_rows[1:])
        runs[path.name if path in GOLDEN else SUITES] = kept.context.run
    return Command(folder / "runs", folder / "no-engine"), runs


def check(ended: Ended) -> None:
    """Holds a command to an answer, or to one sentence about why there is none."""
    assert ended.code in (0, 1, 2), ended.messages
    if ended.code == 2:
        assert ended.messages.splitlines()[-1].startswith("ciphermark: "), ended.messages
    else:
        assert ended.output


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(it.name for it in GOLDEN), SUITES])
def test_commands_of_one_run(
    shared: tuple[Command, dict[str, str]], name: str, tmp_path: Path
) -> None:
    command, runs = shared
    for words in OF_A_RUN:
        typed = [word.format(runs[name]) for word in words]
        if typed[0] == "report":
            typed += ["--output", str(tmp_path / "report")]
        check(command(*typed))


@pytest.mark.slow
@pytest.mark.parametrize("words", OF_ALL, ids=" ".join)
def test_commands_of_all_runs(
    shared: tuple[Command, dict[str, str]], words: tuple[str, ...], tmp_path: Path
) -> None:
    check(shared[0](*(word.format(folder=tmp_path / "site") for word in words)))


def test_a_weak_suite_without_its_sources_is_refused(
    shared: tuple[Command, dict[str, str]],
) -> None:
    command, runs = shared
    document = command("advise", "--for", "ipsec", "--run", runs[SUITES], "--json").document
    assert document["recommendation"]["suite"] == "esp:aes-128-gcm"
    assert any(it["weak"] for it in document["refused"])
