"""What the scheduler of a test loads, perhaps twice: it says that it is of an older Dask."""

from importlib import metadata

from distributed import versions


def _older(package: str) -> str | None:
    if package in ("dask", "distributed"):
        return "2020.1.0"
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


versions._version_cached = _older


def dask_setup(scheduler: object) -> None:
    """Nothing more is to be done."""
