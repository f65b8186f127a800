"""Where runs lie as people type it, and the runs on a shared filesystem: what fsspec reaches over
SFTP, in an object store, in memory.

What is in a URL besides its place (passwords, signed queries) is never shown nor stored.

A run is there when its context is, which is written last. Each file is written under a name of its
own that is then moved into place. So nobody reads half a run on any filesystem, also where folders
cannot be renamed. What a writer that died has left has no context, and is written over when the
same run is sent again.

S3, and whatever speaks like it, has no folders, only buckets, which someone makes on purpose; and
it takes a file whole or not at all.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ciphermark.errors import UsageError, WorkError
from ciphermark.files import extras
from ciphermark.record.layout import is_run_id

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem


_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:://|::)")
_PASSWORD = re.compile(r"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://[^/@\s:]*):(?P<password>[^/\s]*)@")
_QUERY = re.compile(r'(?P<address>[A-Za-z][A-Za-z0-9+.-]*://[^\s?]+)\?[^\s"]+')
HIDDEN = "***"


def is_url(text: str) -> bool:
    """Whether a text is no folder of this machine: `s3://bucket/runs`, `dir::file:///mnt/runs`."""
    return _URL.match(text) is not None


def local_folder(text: str) -> Path | None:
    """The folder of this machine that is meant; None for the URL of another filesystem."""
    if not is_url(text):
        return Path(text)
    return Path(unquote(urlsplit(text).path)) if text.startswith("file://") else None


def without_secrets(text: str) -> str:
    """The text with passwords and queries of the URLs in it hidden: `sftp://user:***@host/runs`."""
    hidden = _PASSWORD.sub(rf"\g<before>:{HIDDEN}@", text)
    return _QUERY.sub(rf"\g<address>?{HIDDEN}", hidden)


def url_secrets(url: str) -> list[str]:
    """What of a URL must not be shown, as it stands there and decoded; longest first."""
    found = [match["password"] for match in _PASSWORD.finditer(url)]
    found += [url.partition("?")[2]] if "?" in url else []
    return sorted({it for text in found for it in (text, unquote(text)) if it}, key=len)[::-1]


SCHEMES = ("s3", "s3a")

RETRIES = 2
"""Of a request, around those that botocore has by itself (`AWS_MAX_ATTEMPTS`): s3fs's own five make
a server that never answers one of over six minutes."""


def is_object_store(url: str) -> bool:
    """Whether an address is of such a store, with nothing before it."""
    return url.partition("://")[0] in SCHEMES


def check_bucket(url: str) -> None:
    """Raises `UsageError` where no bucket is named."""
    if is_object_store(url) and not url.partition("://")[2].partition("/")[0]:
        raise UsageError(f"--runs {url} names no bucket; type s3://bucket/prefix")


CONTEXT = "context.parquet"

ADVICE = "is it the right address, and may you use it?"

AT_ONCE = 200
"""Files that are asked for in one request: filesystems that can get them side by side do so."""


class Remote:
    """The folder of runs that a URL means. All that goes wrong there is a `WorkError`."""

    def __init__(self, url: str) -> None:
        """Raises `UsageError` when there is no such filesystem, or its package is missing."""
        self.url = url
        self.place = without_secrets(url)
        self._connected: tuple[AbstractFileSystem, str] | None = None
        self._takes_whole_files = is_object_store(url)
        _check(url, self.place)
        check_bucket(url)

    def run_ids(self) -> list[str]:
        """The runs, newest first, also those that are still being written; none where there is no
        such folder."""
        with self._explained("cannot be listed"):
            fs, root = self._fs()
            fs.invalidate_cache()
            try:
                names = [posixpath.basename(it.rstrip("/")) for it in fs.ls(root, detail=False)]
            except FileNotFoundError as error:
                if "bucket does not exist" in str(error):  # of S3, which makes none
                    raise
                return []
        return sorted(filter(is_run_id, names), reverse=True)

    def files(self, run: str) -> dict[str, int]:
        """The Parquet files of a run by their path within it, with their bytes; none of a run that
        is not complete."""
        with self._explained(f"cannot be asked for run {run}"):
            fs, root = self._fs()
            fs.invalidate_cache()
            within = posixpath.join(root, run)
            found = fs.find(within, detail=True)
        sizes = {
            posixpath.relpath(path, within): facts["size"]
            for path, facts in found.items()
            if path.endswith(".parquet") and "/." not in path
        }
        return sizes if CONTEXT in sizes else {}

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Files by their path within the folder, with their content; None where there is none."""
        wanted = list(paths)
        for first in range(0, len(wanted), AT_ONCE):
            yield from self._read(wanted[first : first + AT_ONCE])

    def check_writable(self) -> None:
        """Writes a file and removes it."""
        with self._explained("cannot be written"):
            fs, root = self._fs()
            self._make_folder(root)
            probe = posixpath.join(root, f".new-probe-{secrets.token_hex(8)}")
            fs.pipe_file(probe, b"ciphermark")
            fs.rm_file(probe)

    def write_run(self, run: str, folder: Path) -> None:
        """Copies a run's files there. Raises `WorkError` when another run of this name is there."""
        context = (folder / CONTEXT).read_bytes()
        [(_, there)] = self.read([f"{run}/{CONTEXT}"])
        if there == context:  # sent before, by someone who has not heard of it
            return
        if there is not None:
            raise WorkError(f"run {run} is in {self.place} already; nothing is overwritten")
        with self._explained(f"could not take run {run}"):
            fs, _ = self._fs()
            for file in sorted(folder.rglob("*.parquet")):
                if file != folder / CONTEXT:
                    with self._new_file(f"{run}/{file.relative_to(folder).as_posix()}") as path:
                        fs.put_file(str(file), path)
            self._put(f"{run}/{CONTEXT}", context)

    def write_file(self, path: str, content: bytes) -> None:
        """Replaces a file, whole or not at all where the filesystem can rename."""
        with self._explained(f"could not take {path}"):
            self._put(path, content)

    def _put(self, path: str, content: bytes) -> None:
        fs, _ = self._fs()
        with self._new_file(path) as new:
            fs.pipe_file(new, content)

    @contextlib.contextmanager
    def _new_file(self, path: str) -> Iterator[str]:
        """The name under which a file is written before it is moved into place, so that two
        machines that send one run at once do not write into each other's file."""
        fs, root = self._fs()
        target = posixpath.join(root, path)
        if self._takes_whole_files:
            yield target
            return
        folder, name = posixpath.split(target)
        self._make_folder(folder)
        partial = posixpath.join(folder, f".new-{name}-{secrets.token_hex(8)}")
        try:
            yield partial
            fs.mv(partial, target)
        except BaseException:
            with contextlib.suppress(Exception):
                fs.rm_file(partial)
            raise

    def _make_folder(self, path: str) -> None:
        if self._takes_whole_files:  # which has no folders; a bucket would be made
            return
        fs, _ = self._fs()
        for _ in path.split("/"):
            try:
                fs.makedirs(path, exist_ok=True)
                return
            except PermissionError:
                raise
            except OSError:  # over SFTP also that another machine has made one of them meanwhile
                if fs.isdir(path):
                    return
        fs.makedirs(path, exist_ok=True)

    def _read(self, wanted: list[str]) -> Iterator[tuple[str, bytes | None]]:
        with self._explained("cannot be read"):
            fs, root = self._fs()
            paths = {posixpath.join(root, it): it for it in wanted}
            found = fs.cat(list(paths), on_error="return")
            for path, name in paths.items():
                content = found.get(path, FileNotFoundError(path))
                if isinstance(content, Exception) and not isinstance(content, FileNotFoundError):
                    raise content
                yield name, None if isinstance(content, Exception) else content

    def _fs(self) -> tuple[AbstractFileSystem, str]:
        if self._connected is None:
            from fsspec.core import url_to_fs

            fs, root = url_to_fs(self.url, **_options(self.url))
            if is_object_store(self.url):
                fs.retries = RETRIES
            # fsspec names the folder of `dir::…` although all paths are within it already.
            self._connected = fs, "" if self.url.startswith("dir::") else root.rstrip("/")
        return self._connected

    @contextlib.contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        """Filesystems have exceptions of their own kinds, with the address in their texts."""
        try:
            yield
        except (WorkError, UsageError):
            raise
        except Exception as error:
            raise WorkError(
                f"{self.place} {what} ({_reason(error, self.url)}); {ADVICE}"
            ) from None  # the text of the cause may hold a password


def _reason(error: Exception, url: str) -> str:
    text = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
    line = text.splitlines()[0].rstrip(".")
    for secret in url_secrets(url):
        line = line.replace(secret, HIDDEN)
    return without_secrets(line)


def _check(url: str, place: str) -> None:
    """Refuses what fsspec has no filesystem for, before anything is done."""
    get_filesystem_class = extras.needed(
        "s3" if is_object_store(url) else "sftp"
    ).get_filesystem_class
    for part in url.split("::"):
        scheme = part.partition("://")[0]
        try:
            get_filesystem_class(scheme)
        except ValueError:
            raise UsageError(
                f"there is no filesystem {scheme!r} for --runs {place}; it takes a folder, or a "
                "URL such as sftp://user@host/path or s3://bucket/prefix"
            ) from None
        except ImportError as error:
            package = getattr(error.__cause__, "name", None) or f"fsspec[{scheme}]"
            raise UsageError(
                f"{place} is reached with the Python package {package}, which is missing: "
                f"pip install '{package}'"
            ) from None


def _options(url: str) -> dict[str, object]:
    """What the filesystem is told besides the address."""
    if url.startswith(("sftp://", "ssh://")):
        from ciphermark.record.known_hosts import KnownHosts

        return {"host_key_policy": KnownHosts()}
    return {}
