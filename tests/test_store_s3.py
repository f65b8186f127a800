"""Runs in S3, beside what all shared stores do: buckets, keys and endpoints."""

from __future__ import annotations

import pytest

from ciphermark.errors import UsageError, WorkError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE

pytestmark = pytest.mark.usefixtures("own_folders")

NOBODY = "http://127.0.0.1:9"
"""The port that the protocol `discard` once had: nobody listens."""


@pytest.mark.slow
def test_nothing_but_the_run_is_left_in_the_bucket(s3: str, run: Run) -> None:
    import s3fs

    store = Store.default(s3)
    store.check_writable()
    store.save(run, SINGLE.rows_table(rows(run)))
    place = s3.removeprefix("s3://")
    found = s3fs.S3FileSystem().find(place)
    assert sorted(it.removeprefix(f"{place}/{run.context.run}/") for it in found) == [
        f"{it}.parquet" for it in ("cases", "context", "rows", "samples", "warnings")
    ]


def test_a_prefix_without_runs_is_an_empty_store(s3: str) -> None:
    assert Store.default(f"{s3}/of-this-bucket").run_ids() == []


def test_no_bucket_is_made_of_a_name_mistyped(s3: str) -> None:
    import s3fs

    store = Store.default("s3://ciphermrak/runs")
    for look in (store.run_ids, store.check_writable):
        with pytest.raises((WorkError, UsageError), match="bucket does not exist"):
            look()
    assert "ciphermrak" not in s3fs.S3FileSystem().ls("")


@pytest.mark.parametrize("address", ["s3://", "s3:///runs"])
def test_an_address_without_a_bucket_is_a_users_mistake(s3: str, address: str) -> None:
    with pytest.raises(UsageError, match="names no bucket.*s3://bucket/prefix"):
        Store.default(address)


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [
        {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""},
        {"AWS_PROFILE": "nobody"},
        {"AWS_ENDPOINT_URL": NOBODY},
    ],
)
def test_an_address_that_cannot_be_reached_is_named(
    s3: str, monkeypatch: pytest.MonkeyPatch, changed: dict[str, str]
) -> None:
    import s3fs

    # Once is enough here.
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    for name, value in changed.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(WorkError) as refusal:
        Store.default(s3).run_ids()
    text = str(refusal.value)
    assert f"{s3} cannot be listed (" in text
    assert "geheim" not in text and "\n" not in text and text.count('"') % 2 == 0
