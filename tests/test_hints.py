"""Every command that a screen proposes can be typed: its options parse and its names exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from advice_example import rows, stored
from ciphermark.answers.advice.uses import USES
from ciphermark.cli.groups import VERBS, Commands
from ciphermark.plan.profiles import PROFILES
from ciphermark.record.store import Store
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from engine_fixture import Command
from lent_engine import all_algorithms
from synthetic import synthetic_cases, synthetic_run

ROOT = Path(__file__).parent.parent
GOLDEN = sorted((ROOT / "tests" / "golden").glob("run-*"))

HINT = re.compile(r"(?<!install )ciphermark (?!-)[a-z][^\n'`;“”·]*")
"""Text from the name of the program on; a dot in the middle of a line is that of a header."""

SUITES = {
    f"{path.stem}:{name}"
    for path in (ROOT / "suites").glob("*.toml")
    for name in re.findall(r'^name = "(.*)"', path.read_text(), re.MULTILINE)
}
KNOWN = {
    "--algorithms": {it.name for it in all_algorithms()} | {"all"},
    "--suites": SUITES | {it.partition(":")[0] for it in SUITES},
    "--for": {*USES.files()},
    "--profile": {*PROFILES.files()},
    "--providers": {
        path.stem.replace("_", "-") for path in (ROOT / "engine/providers/src").glob("*")
    },
}
"""Values of options, by their names."""


def hints(text: str) -> Iterator[list[str]]:
    """The commands in a text, each as its words: an option and its value at a time."""
    said = "\n".join(it for it in text.splitlines() if not it.startswith(("Usage:", "Try ")))
    for found in HINT.findall(said):
        _, *words = shlex.split(re.split(r"\s{2,}|, | \(|\)|:\s|\. ", found)[0].rstrip(" .,:"))
        yield [*_command(words)]


def _command(words: list[str]) -> Iterator[str]:
    """The verb, its arguments in capitals or with a sign, and its options with their values."""
    before = ""
    for place, word in enumerate(words):
        is_sentence = place and not (
            word.startswith("-") or before.startswith("-") or re.search(r"[A-Z\d.:/_-]|last", word)
        )
        if is_sentence and words[0] not in ("list", "machines", "model", "study", "simulate"):
            return
        yield word
        before = word


def parsed(words: list[str]) -> dict[str, Any]:
    """The options of a command by their names. Raises what click does where one is refused."""
    name, *arguments = words
    command = Commands()[name]
    while hasattr(command, "commands") and arguments:
        name, *arguments = arguments
        command = command.commands[name]
    return dict(command.make_context(name, arguments).params)


def unknown_names(words: list[str]) -> list[str]:
    """Values of options that name nothing."""
    return [
        value
        for option, values in zip(words, words[1:], strict=False)
        if option in KNOWN
        for value in values.split(",")
        if value not in KNOWN[option] and not value.isupper()
    ]


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A command with runs of suites by two libraries, and of algorithms by one that no tool has."""
    folder = tmp_path_factory.mktemp("hints")
    store = Store(folder / "runs")
    stored(store)
    stored(store, [msgspec.structs.replace(it, provider="aws-lc") for it in rows()], days_later=1)
    run = synthetic_run(synthetic_cases(None, ["rustcrypto"]), seed=3)
    store.save(run, SINGLE.rows_table(SINGLE.rows(run)))
    return Command(folder / "runs", folder / "no-engine")


def asked(run: str) -> Iterator[list[str]]:
    """The commands that read one run."""
    yield ["show", run]
    for use in USES.files():
        yield ["advise", "--for", use, "--run", run]
        yield ["capacity", "--for", use, "--run", run]
    yield ["capacity", "--run", run]


LISTS = ("machines", "nodes", "profiles", "protocols", "runs", "studies", "targets")


def asked_once(run: str) -> Iterator[list[str]]:
    """The commands that read all runs and catalogues, and those that fail without an engine."""
    yield from (["list", name] for name in (*LISTS, "algorithms", "suites", "providers", "kernels"))
    yield ["machines", "matrix"]
    yield ["compare", f"{run}:openssl", f"{run}:rustcrypto"]
    yield from (
        ["protocol", "all"],
        ["model", "feasible", "--deadline", "5ms"],
        ["study", "umac"],
        ["doctor"],
    )
    yield ["advise", "--for", "tls"]
    yield ["capacity", "--for", "tls", "--cores", "4"]


def test_every_hint_can_be_typed(typed: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    typed.environment["COLUMNS"] = "500"
    runs = [it.run for it in Store(typed.runs).summaries()]
    seen = set()
    commands = [it for run in [*runs, *map(str, GOLDEN)] for it in asked(run)]
    for command in [*commands, *asked_once(runs[0])]:
        ended = typed(*command)
        seen |= {tuple(it) for it in hints(f"{ended.output}\n{ended.messages}")}
    assert len(seen) > 20
    assert all(hint[0] in VERBS for hint in seen)
    for hint in sorted(seen):
        if len(hint) > 1:  # else it is named, and not proposed
            parsed([*hint])
        assert unknown_names([*hint]) == [], hint
