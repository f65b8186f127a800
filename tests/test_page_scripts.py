"""The scripts of pages: linted and type-checked, where the tools for that are there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHECKS = ROOT / "tools" / "page_checks"
PROGRAMS = ROOT / ".venv" / "page-checks" / "node_modules" / ".bin"
SCRIPTS = (
    *sorted((ROOT / "python/ciphermark/site/scripts").glob("*.js")),
    *sorted((ROOT / "python/ciphermark/view/templates").glob("*.js")),
)

needs_node = pytest.mark.skipif(
    not (PROGRAMS / "tsc").exists() or shutil.which("node") is None,
    reason="no linter of scripts, which needs Node: make page-checks",
)
pytestmark = [pytest.mark.slow, needs_node]


def ended(program: str, *arguments: str | Path, given: str = "") -> str:
    """What a program finds; nothing where all is well."""
    done = subprocess.run(
        [PROGRAMS / program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        input=given,
    )
    return done.stdout + done.stderr if done.returncode else ""


def test_types_fit() -> None:
    assert ended("tsc", "--project", CHECKS) == ""


def test_the_linter_finds_nothing() -> None:
    assert ended("eslint", "--config", CHECKS / "eslint.config.mjs", *SCRIPTS) == ""


def test_faults_are_found(tmp_path: Path) -> None:
    script = tmp_path / "wrong.js"
    text = '"use strict";\nvar a = 1;\neval(a == 2);\n/** @type {string} */\nlet b = 3;\n'
    script.write_text(text)
    lint = ("--config", CHECKS / "eslint.config.mjs", "--stdin", "--stdin-filename", "wrong.js")
    said = ended("eslint", *lint, given=text)
    assert all(rule in said for rule in ("no-var", "no-eval", "eqeqeq"))
    assert "TS2322" in ended("tsc", "--noEmit", "--allowJs", "--checkJs", "--strict", script)
