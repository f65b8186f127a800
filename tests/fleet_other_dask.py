"""What `dask scheduler --preload` loads in tests: the scheduler says that it is an older Dask."""

from distributed import versions

real = versions._version_cached


def _older(package: str) -> str | None:
    return "2020.1.0" if package in ("dask", "distributed") else real(package)


versions._version_cached = _older


def dask_setup(scheduler: object) -> None:
    """Nothing more is to be done."""
