"""The set-up of docs/first-survey.md, from a copy of this tree, in the smallest Debian 13."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from chroots import Root, copy_of_tree

ROOT = Path(__file__).resolve().parents[1]
CRATES = Path("~/.cargo/registry").expanduser()
SECONDS = 1200
"""Four times the build on two cores that do nothing else."""


@pytest.mark.deep
@pytest.mark.long
def test_make_survey_passes_on_debian_13_by_an_ordinary_user(
    debian: Callable[..., Root], tmp_path: Path
) -> None:
    """Installs the packages that the page names and no others, and types what it says next."""
    page = (ROOT / "docs" / "first-survey.md").read_text()
    packages = re.search(r"^sudo apt-get install (.*)\n(make survey)$", page, re.MULTILINE)
    assert packages is not None
    root = debian("trixie", *packages[1].split(), "ca-certificates")
    copy_of_tree(ROOT, tmp_path / "tree")
    for name in ("cache", "index"):  # of crates that this machine has fetched already
        if (CRATES / name).is_dir():
            shutil.copytree(CRATES / name, tmp_path / ".cargo" / "registry" / name)
    typed = partial(root.run, home=tmp_path, directory="/home/user/tree", seconds=SECONDS)
    ended = typed(*packages[2].split(), "ARGS=--quick", network=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    shown = typed(".venv/bin/ciphermark", "show", "last", "--json")
    verified = {it["provider"] for it in json.loads(shown.stdout)["rows"] if it["error"] is None}
    assert {"openssl", "aws-lc", "kernels"} <= verified
    assert list(tmp_path.glob(".local/share/ciphermark/runs/*/report.html"))
