"""The Python interface, as docs/python.md describes it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import ciphermark
from ciphermark import contract

PAGE = Path(__file__).parents[1] / "docs" / "python.md"


@pytest.mark.engine
@pytest.mark.measures
def test_the_session_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_RUNS", str(tmp_path))
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 6
    for block in blocks:
        exec(block, names)
    figures, run = names["figures"], names["run"]
    assert len(figures) == 8
    assert set(figures.run) == {run.id}
    assert run.context.command == "ciphermark.measure"


def test_every_column_of_samples_is_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    for field in msgspec.structs.fields(contract.Sample):
        assert f"`{field.name}`" in page


def test_importing_it_is_light() -> None:
    heavy = "numpy|pyarrow|duckdb|typer|rich"
    loaded = f"[it for it in sys.modules if re.fullmatch('{heavy}', it)]"
    code = f"import ciphermark, re, sys; print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"
    assert not hasattr(ciphermark, "nothing")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"plan": "surveys"}, "no plan surveys"),
        ({"plan": "/nowhere.toml"}, "/nowhere.toml"),
        ({"algorithms": "sha256"}, "write a list"),
        ({"algorithms": ["sha257"]}, "sha257"),
        ({"sizes": [-1]}, "-1"),
        ({"precision": 2.0}, "--precision"),
        ({"budget_s": -1.0}, "--budget"),
    ],
)
@pytest.mark.engine
def test_bad_requests_are_usage_errors(
    tmp_path: Path, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(ciphermark.UsageError, match=re.escape(said)):
        ciphermark.measure(**arguments, folder=tmp_path)


def test_a_run_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    assert ciphermark.runs(folder=tmp_path) == []
    with pytest.raises(ciphermark.UsageError, match="no runs are stored"):
        ciphermark.Run("last", folder=tmp_path)
    with pytest.raises(ciphermark.UsageError, match="no runs are stored"):
        ciphermark.compare("last:a", "last:b", folder=tmp_path)
