"""What several test files use: an empty store, a synthetic run, and its rows."""

from __future__ import annotations

import gc
import importlib.util
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pytest
import typer

from ciphermark.__main__ import OBJECTS_BEFORE_COLLECTING
from ciphermark.cli import main as main  # fills in what reports say beside their workloads
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from pictures import undrawn
from synthetic import synthetic_cases, synthetic_run

# No test is timed: beside other work an example may take long. `make test-deep` has hundreds.
hypothesis.settings.register_profile("few", deadline=None, max_examples=25)
hypothesis.settings.register_profile("many", deadline=None, max_examples=300)
hypothesis.settings.load_profile("few")

pytest_plugins = [
    "browser_fixture",
    "chroots",
    "driver_fixture",
    "engine_fixture",
    "fake_ssh",
    "library_fixture",
    "ssh_fixture",
    "ssh_survey",
    "ssh_workers_fixture",
    "store_servers",
]


@pytest.fixture(autouse=True)
def on_the_only_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are of this machine where a store has those of one machine only."""
    monkeypatch.setattr("ciphermark.run.here.machine_id", lambda: None)


MARKS = pytest.StashKey[dict[str, frozenset[str]]]()
"""The markers of each test that was collected, those too that this call leaves out."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes minutes begins first, so that one process does not wait for it at the end."""
    config.stash[MARKS] = {
        item.nodeid: frozenset(mark.name for mark in item.iter_markers()) for item in items
    }
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in long)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was imported stays; cycles are looked for as seldom as by commands."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTING)


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[None]:
    """Typer would make all commands with all their options anew for each call of one."""
    get_command = cache(typer.main.get_command)

    def made(app: typer.Typer) -> Any:
        command = get_command(app)
        forget_help(command)
        return command

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.main.get_command", made)
        patch.setattr("typer.testing._get_command", made)
        yield


def forget_help(command: Any) -> None:
    """The one thing that commands keep of a call: whether its help is asked for by -h as well."""
    command._help_option = None
    for subcommand in getattr(command, "commands", {}).values():
        forget_help(subcommand)


@pytest.fixture(scope="session")
def marks(request: pytest.FixtureRequest) -> dict[str, frozenset[str]]:
    """The markers of each test, by its name."""
    return request.config.stash[MARKS]


@pytest.fixture(scope="session", autouse=True)
def undrawn_pictures() -> Iterator[None]:
    """Reports are written without their pictures, except within `drawn`."""
    with undrawn():
        yield


@pytest.fixture(autouse=True)
def own_data_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where runs wait that could not be stored: not among those of whoever runs the tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose folder is not there yet."""
    return Store(tmp_path / "runs")


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has nothing in caches and data folders yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def run() -> Run:
    """A small run of every operation; not to be changed."""
    return synthetic_run(synthetic_cases(sizes=(64, 1024)), rounds=6, seed=1)


@pytest.fixture(scope="session")
def run_rows(run: Run) -> Table:
    """The rows of `run`, as they are stored."""
    return SINGLE.rows_table(rows(run))


@pytest.fixture(scope="session")
def report_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The report of the example of a workload, which is written once, its pictures undrawn."""
    from ciphermark.command.report import write_report
    from workload_examples import EXAMPLES

    @cache
    def written(workload: str) -> Path:
        return write_report(*EXAMPLES[workload](), tmp_path_factory.mktemp(workload))

    return written


def script(path: str) -> ModuleType:
    """Returns the module of a script of the repository: `tools/weigh.py`."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, Path(__file__).parents[1] / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
