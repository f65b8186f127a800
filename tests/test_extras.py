"""Extras that an installation lacks: each is one sentence with the command to type."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from ciphermark.command import report
from ciphermark.errors import UsageError
from ciphermark.files import extras
from ciphermark.record.store import Store
from ciphermark.run.targets.target import simulated
from ciphermark.run.targets.toolchain import Toolchain, kernel_sources
from ciphermark.view import page as view_page
from ciphermark.view.plots import drawing
from survey_example import survey_example

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(params=[*extras.EXTRAS])
def lacking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """An extra as if it were not installed."""
    hide(request.param, monkeypatch)
    return request.param


def hide(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = extras.EXTRAS[extra][0]
    monkeypatch.setitem(sys.modules, module, None)
    found = extras.importlib.util.find_spec
    monkeypatch.setattr(
        extras.importlib.util, "find_spec", lambda name: None if name == module else found(name)
    )


def test_an_extra_that_is_missing_is_named_with_what_to_type(lacking: str) -> None:
    assert not extras.is_installed(lacking)
    with pytest.raises(UsageError, match=rf"pip install 'ciphermark\[{lacking}\]'$"):
        extras.needed(lacking)


def test_each_extra_is_one_of_the_project_and_of_its_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    for extra in extras.EXTRAS:
        assert extras.is_installed(extra)
        assert {*optional[extra]} <= {*optional["test"]}


def test_without_plots_a_report_has_its_own_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view_page.javascript()  # in a tree that was not installed the extra makes it
    hide("plots", monkeypatch)
    page = report.write_report(*survey_example(["md5"]), tmp_path, facts=())
    assert '"spec"' in page.read_text()
    assert [it.name for it in tmp_path.iterdir()] == [page.name]
    with pytest.raises(UsageError, match=r"plots are drawn into files .* 'ciphermark\[plots\]'"):
        drawing.drawn({}, "svg")


def test_without_a_decoder_a_target_with_a_pipeline_lacks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide("simulate", monkeypatch)
    monkeypatch.setattr(Toolchain, "_probe_compiler", lambda self: None)
    monkeypatch.setattr(Toolchain, "_probe_simulator", lambda self: None)
    reasons = {it.name: Toolchain(it, kernel_sources(), tmp_path).missing() for it in simulated()}
    assert "ciphermark[simulate]" in reasons["cortex-m4"]
    assert reasons["atmega128"] is None


@pytest.mark.parametrize(("url", "extra"), [("s3://bucket/runs", "s3"), ("sftp://h/r", "sftp")])
def test_runs_elsewhere_name_their_extra(
    url: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide(extra, monkeypatch)
    with pytest.raises(UsageError, match=rf"pip install 'ciphermark\[{extra}\]'"):
        Store.default(url)
