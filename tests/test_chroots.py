"""Debian root folders for tests: what they hold, who may write, and how commands in them end."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import chroots
from chroots import Root

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("user", [True, False])
@pytest.mark.deep
def test_a_command_runs_in_the_suite_and_writes_to_its_home_alone(
    debian: Callable[..., Root], tmp_path: Path, user: bool
) -> None:
    root = debian("trixie")
    asked = root.run(
        "sh", "-c", ". /etc/os-release; echo $VERSION_ID; id -u", home=tmp_path, user=user
    )
    assert asked.stdout.split() == ["13", "1000" if user else "0"], asked.stderr
    assert root.run("touch", "made", home=tmp_path, user=user).returncode == 0
    assert (tmp_path / "made").exists()
    assert "Read-only" in root.run("touch", "/etc/made", home=tmp_path, user=False).stderr
    shared = root.run("touch", "/dev/shm/made", "/tmp/made", home=tmp_path, user=user)
    assert shared.returncode == 0, shared.stderr  # semaphores of Python's processes


@pytest.mark.deep
def test_folders_are_bound_and_the_network_is_not_there(
    debian: Callable[..., Root], tmp_path: Path
) -> None:
    tree = chroots.copy_of_tree(ROOT, tmp_path / "tree")
    assert (tree / "Makefile").exists() and not (tree / ".venv").exists()
    home = tmp_path / "home"
    home.mkdir()
    script = "touch /srv/tree/made || ls /srv/tree; ls /sys/class/net"
    asked = debian("trixie").run("sh", "-c", script, home=home, read_only={"/srv/tree": tree})
    assert "Read-only" in asked.stderr
    assert "Makefile" in asked.stdout
    script = "touch made && ip -o link || cat /proc/net/dev"
    asked = debian("trixie").run(
        "sh", "-c", script, home=home, writable={"/srv/tree": tree}, directory="/srv/tree"
    )
    assert asked.stdout.count(":") <= 2, asked.stdout  # the loop alone
    assert (tree / "made").exists()


@pytest.mark.deep
def test_no_process_and_no_mount_is_left_after_a_timeout(
    debian: Callable[..., Root], tmp_path: Path
) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        debian("trixie").run("sh", "-c", "sleep 987654 & sleep 987653", home=tmp_path, seconds=1)
    left = subprocess.run(["pgrep", "--full", "^sleep 98765[34]"], capture_output=True, text=True)
    assert left.stdout == ""
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text()


def test_a_missing_tool_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(chroots.Unavailable, match="mmdebstrap.*make system-packages"):
        chroots.root_of("trixie", (), tmp_path)


def test_the_longest_unused_roots_are_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(chroots, "MOST", 2)
    monkeypatch.setattr(chroots, "_check_tools", lambda: None)
    monkeypatch.setattr(chroots, "_sources", lambda suite: [suite])
    monkeypatch.setattr(chroots, "_make", lambda *args: args[-1].mkdir())
    names = list[str]()
    for number, suite in enumerate(("one", "two", "three")):
        root, lock = chroots.root_of(suite, (), tmp_path)
        names.append(root.folder.name)
        if number != 1:
            lock.close()
    kept = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    assert kept == set(names[1:])
