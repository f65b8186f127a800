"""Debian root folders of named suites, made by mmdebstrap, and commands in them, run by bubblewrap.

`debian("trixie", "python3-venv")` is a folder with the smallest Debian 13 and these packages. It is
kept in the virtual environment, at most `MOST` of them, for `MAX_AGE`. A command sees it read-only,
with its own processes, /tmp and home; all mounts end with the command, however it ends. Tests that
use it are `deep`; where no root can be made here, they are skipped with the reason.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

CACHE = Path(sys.prefix) / "chroots"
MOST = 6
"""Root folders that are kept; the longest unused are removed first."""
MAX_AGE = 7 * 24 * 3600
"""Seconds; packages of an older root are no longer those of its suite."""
SECONDS_TO_MAKE = 600
USER = 1000
"""User and group of commands that are not run as root."""

PASSED_ON = re.compile(
    r"PIP_\w+|CARGO_(NET|HTTP|REGISTR|SOURCE)\w*|\w*_proxy|SSL_CERT_(FILE|DIR)|\w+_CA_BUNDLE",
    re.IGNORECASE,
)
"""Environment variables that say how registries of packages are reached from this machine."""
CONFIGURATION = {
    Path("/etc/pip.conf"): "/etc/pip.conf",
    Path("/etc/resolv.conf"): "/etc/resolv.conf",
    Path("~/.config/pip/pip.conf"): "/home/user/.config/pip/pip.conf",
    Path("~/.cargo/config.toml"): "/home/user/.cargo/config.toml",
    Path("/etc/ssl/certs/ca-certificates.crt"): "/etc/ssl/certs/ca-certificates.crt",
}
"""Files of this machine that say the same, and where a root has them."""
UNREACHABLE = re.compile(
    r"Could not (resolve|connect)|Temporary failure|Unable to connect|timed out"
)


class Unavailable(Exception):
    """Reason why a root folder cannot be made here."""


@dataclass(frozen=True)
class Root:
    """A Debian root folder, shared by all tests that name the same suite and packages."""

    folder: Path

    def run(
        self,
        *command: str | Path,
        home: Path,
        user: bool = True,
        read_only: Mapping[str, Path] | None = None,
        writable: Mapping[str, Path] | None = None,
        environment: Mapping[str, str] | None = None,
        network: bool = False,
        change: bool = False,
        directory: str = "/home/user",
        seconds: float = 60,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command in the root folder and returns how it ended, with its output.

        `home` is the command's home, and the only place beside /tmp that it can write to; the next
        command finds there the files of this one. `read_only` and `writable` bind folders and files
        of this machine to paths in the root. Home and writable folders become the user's; with
        `user=False` the command runs as root. With `network` the command reaches the hosts that
        this machine reaches, by the same configuration of pip and cargo. `change` lets the command
        write to the root itself: only to that of `copy`.
        Raises subprocess.TimeoutExpired after `seconds`; no process of the command is left then.
        """
        binds = list[str | Path]()
        variables = {
            "HOME": "/home/user",
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        }
        if network:
            passed_on, files = _registries()
            variables |= passed_on
            for path, place in files.items():
                binds += ["--ro-bind", path, place]
        for place, path in (read_only or {}).items():
            binds += ["--ro-bind", path, place]
        for place, path in (writable or {}).items():
            binds += ["--bind", path, place]
        for name, value in (variables | dict(environment or {})).items():
            binds += ["--setenv", name, value]
        as_root = os.geteuid() == 0
        if as_root and user:
            own = ["chown", "-Rh", f"{USER}:{USER}", home, *(writable or {}).values()]
            subprocess.run(own, check=True, timeout=300)
        line = [
            *("bwrap", "--bind", self.folder, "/", "--bind", home, "/home/user"),
            *("--dev", "/dev", "--proc", "/proc", "--ro-bind", "/sys", "/sys"),
            *("--perms", "1777", "--tmpfs", "/tmp", "--perms", "1777", "--tmpfs", "/dev/shm"),
            *("--clearenv", *binds),
            *(() if change else ("--remount-ro", "/")),
            *("--unshare-pid", "--unshare-ipc", *(() if network else ("--unshare-net",))),
            *("--die-with-parent", "--new-session", "--chdir", directory),
            *_identity(as_root, user),
            *command,
        ]
        return subprocess.run(
            list(map(str, line)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
        )

    def copy(self, folder: Path) -> Root:
        """A copy that a test may change, for instance by `apt-get install`."""
        line = ["cp", "--archive", "--reflink=auto", self.folder, folder]
        subprocess.run(line, check=True, timeout=SECONDS_TO_MAKE)
        return Root(folder)


def copy_of_tree(tree: Path, folder: Path) -> Path:
    """A copy of a git work tree without what git ignores."""
    line = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(line, cwd=tree, check=True, capture_output=True, timeout=60).stdout
    present = b"\0".join(
        it for it in names.split(b"\0") if it and (tree / os.fsdecode(it)).exists()
    )
    folder.mkdir(parents=True, exist_ok=True)
    pack = ["tar", "--create", "--null", "--files-from=-"]
    archive = subprocess.run(
        pack, cwd=tree, check=True, input=present, capture_output=True, timeout=60
    ).stdout
    unpack = ["tar", "--extract", "--no-same-owner"]
    subprocess.run(unpack, cwd=folder, check=True, input=archive, timeout=60)
    return folder


@pytest.fixture(scope="session")
def debian() -> Iterator[Callable[..., Root]]:
    """Makes the root folder of a suite with packages, or skips the test with the reason."""
    with ExitStack() as used:

        @functools.cache
        def made(suite: str, *packages: str) -> Root:
            try:
                root, lock = root_of(suite, packages)
            except Unavailable as reason:
                pytest.skip(str(reason))
            used.enter_context(lock)
            return root

        yield made


def root_of(suite: str, packages: Sequence[str], cache: Path = CACHE) -> tuple[Root, IO[str]]:
    """The root folder, made where it is not there yet, and the lock that keeps it from removal."""
    _check_tools()
    sources = _sources(suite)
    described = "\n".join([*sources, *sorted(packages)])
    name = f"{suite}-{hashlib.sha256(described.encode()).hexdigest()[:12]}"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / name
    lock = (cache / f"{name}.lock").open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another process of the tests may be making it
        if folder.exists() and time.time() - folder.stat().st_ctime > MAX_AGE:
            _remove(folder)
        if not folder.exists():
            _make(suite, packages, sources, folder)
        os.utime(lock.name)
        fcntl.flock(lock, fcntl.LOCK_SH)
        _remove_unused(cache)
    except BaseException:
        lock.close()
        raise
    return Root(folder), lock


def _make(suite: str, packages: Sequence[str], sources: Sequence[str], folder: Path) -> None:
    """Makes a root folder by mmdebstrap; nothing is left of one that fails."""
    part, archive = folder.with_suffix(".part"), folder.with_suffix(".tar")
    options = [f"--aptopt={it}" for it in _apt_options()]
    options += [f"--include={it}" for it in packages]
    line = [
        *("mmdebstrap", "--variant=minbase", "--format=tar"),
        *("--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/man/*"),
        *("--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/locale/*"),
        *(*options, suite, archive, *sources),
    ]
    try:
        if part.exists():
            _remove(part)
        part.mkdir()
        made = subprocess.run(
            list(map(str, line)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS_TO_MAKE,
        )
        if made.returncode and UNREACHABLE.search(made.stderr):
            raise Unavailable(f"Debian's packages cannot be reached: {made.stderr.strip()[-200:]}")
        if made.returncode and os.geteuid() != 0:  # which needs user namespaces with subuids
            raise Unavailable(f"only root can make root folders: {made.stderr.strip()[-200:]}")
        assert made.returncode == 0, made.stderr
        unpack = ["tar", "--extract", "--file", archive, "--exclude=./dev/*"]
        subprocess.run(unpack, cwd=part, check=True, timeout=SECONDS_TO_MAKE)
        # Places of mounts, which a root that is read-only could not get.
        (part / "home" / "user").mkdir(parents=True, exist_ok=True)
        with (part / "etc" / "passwd").open("a") as file:
            file.write(f"user:x:{USER}:{USER}::/home/user:/bin/bash\n")
        part.rename(folder)
    finally:
        archive.unlink(missing_ok=True)
        if part.exists():
            _remove(part)


def _check_tools() -> None:
    """Raises Unavailable with the reason where roots cannot be made or entered."""
    absent = [it for it in ("mmdebstrap", "bwrap", "apt-get") if shutil.which(it) is None]
    if absent:
        raise Unavailable(f"no {' and no '.join(absent)}; type: sudo make system-packages")
    line = ["bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-pid"]
    tried = subprocess.run([*line, "true"], capture_output=True, text=True, timeout=60)
    if tried.returncode:
        raise Unavailable(f"no root folder can be entered here: {tried.stderr.strip()[-200:]}")


def _sources(suite: str) -> list[str]:
    """Lines of apt's sources for a suite, from the mirrors that this machine is configured with."""
    asked = "$(LABEL)|$(REPO_URI)|$(COMPONENT)"
    line = ["apt-get", "indextargets", "--format", asked, "Created-By: Packages", "Origin: Debian"]
    listed = subprocess.run(line, capture_output=True, text=True, timeout=60).stdout
    mirrors = dict[str, str]()
    for target in listed.splitlines():
        label, uri, component = target.split("|")
        if component == "main":
            mirrors.setdefault(label, uri)
    if "Debian" not in mirrors:
        raise Unavailable("apt has no list of a Debian mirror; type: sudo apt-get update")
    lines = [f"deb {mirrors['Debian']} {suite} main"]
    if suite != "sid":
        lines.append(f"deb {mirrors['Debian']} {suite}-updates main")
        if "Debian-Security" in mirrors:
            lines.append(f"deb {mirrors['Debian-Security']} {suite}-security main")
    return lines


def _apt_options() -> list[str]:
    """Proxies and checks of dates, as apt of this machine has them."""
    names = ("Acquire::http", "Acquire::https", "Acquire::Check-Date", "Acquire::Check-Valid-Until")
    line = ["apt-config", "dump", "--no-empty", "--format", '%f "%v";%n', *names]
    return subprocess.run(line, capture_output=True, text=True, timeout=60).stdout.splitlines()


def _registries() -> tuple[dict[str, str], dict[Path, str]]:
    """Environment variables and files that reach the registries of packages, as on this machine."""
    variables = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
    files = {
        path.expanduser().resolve(): place
        for path, place in CONFIGURATION.items()
        if path.expanduser().is_file()
    }
    for value in variables.values():
        if value.startswith("/") and value not in files.values() and Path(value).exists():
            files[Path(value).resolve()] = value
    return variables, files


def _identity(as_root: bool, user: bool) -> list[str]:
    """Options and command that make a command's user root or `USER`."""
    if not as_root:
        number = str(USER if user else 0)
        return ["--unshare-user", "--uid", number, "--gid", number]
    become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    return ["--cap-add", "ALL", *(become if user else ())]


def _remove_unused(cache: Path) -> None:
    """Removes the longest unused roots beyond `MOST`, except those that tests are using."""
    locks = sorted(cache.glob("*.lock"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in locks[MOST:]:
        with path.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            if path.with_suffix("").exists():
                _remove(path.with_suffix(""))
            path.unlink()


def _remove(folder: Path) -> None:
    subprocess.run(["rm", "-rf", "--one-file-system", folder], check=True, timeout=SECONDS_TO_MAKE)
