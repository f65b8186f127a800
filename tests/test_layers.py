"""Imports go down only, as the layers in pyproject.toml say; what breaks that is seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINT = """
import sys
from importlinter.cli import lint_imports

sys.exit(lint_imports(no_cache=True, no_logo=True))
"""


def broken_layers(tree: Path) -> str:
    """What is wrong in the package under `python` of a tree; empty where nothing is."""
    environment = os.environ | {"PYTHONPATH": str(tree / "python"), "COLUMNS": "200"}
    linted = subprocess.run(
        [sys.executable, "-c", LINT], cwd=tree, env=environment, capture_output=True, text=True
    )
    return "" if linted.returncode == 0 else linted.stdout + linted.stderr


def test_imports_go_down_only() -> None:
    assert not broken_layers(ROOT)


def test_what_goes_up_or_is_in_no_layer_is_seen(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    package = tmp_path / "python" / "ciphermark"
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python" / "ciphermark", package, ignore=left_out)
    with (package / "plan" / "profiles.py").open("a") as module:
        module.write("\n\ndef planted():\n    from ciphermark.view import figures\n")
    assert "ciphermark.plan.profiles -> ciphermark.view.figures" in broken_layers(tmp_path)
    (package / "elsewhere.py").touch()
    assert "ciphermark.elsewhere" in broken_layers(tmp_path)
