"""The Python types are those of the schema, and read and write what Rust writes and reads.

Tables that were computed beforehand are what their generators compute.

That the schema is that of the Rust types is tested in `engine/record/tests/contract.rs`, which
reads the same golden files.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ciphermark import contract

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).parent / "golden" / "contract"
EVENTS = (GOLDEN / "events.jsonl").read_text().splitlines()


def test_python_types_are_those_of_the_schema() -> None:
    generator: dict[str, Any] = runpy.run_path(str(ROOT / "tools" / "generate_contract.py"))
    expected = generator["python_types"](json.loads(generator["SCHEMA"].read_text()))
    assert generator["TARGET"].read_text() == expected, "contract.py is stale; run: make generate"


def test_tables_of_kasumi_are_those_of_its_sboxes() -> None:
    generator: dict[str, Any] = runpy.run_path(str(ROOT / "tools" / "generate_kasumi_tables.py"))
    expected = generator["header"]()
    assert generator["TARGET"].read_text() == expected, (
        "kasumi_tables.h is stale; run: make generate"
    )


@pytest.mark.parametrize(
    ("line", "kind"),
    list(zip(EVENTS, contract.Event.__args__, strict=True)),
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_events_of_the_engine_are_read_whole(line: str, kind: type) -> None:
    event = msgspec.json.decode(line, type=contract.Event)
    assert type(event) is kind
    assert json.loads(msgspec.json.encode(event)) == json.loads(line)


def test_what_a_newer_engine_adds_is_ignored() -> None:
    bye = json.loads(EVENTS[-1])
    newer = json.dumps(bye | {"added_later": {"deep": [1]}})
    assert msgspec.json.decode(newer, type=contract.Event) == msgspec.json.decode(
        EVENTS[-1], type=contract.Event
    )


def test_what_an_older_engine_did_not_have_is_null() -> None:
    older = json.loads(EVENTS[-1])
    del older["steal_share"]
    assert msgspec.json.decode(json.dumps(older), type=contract.Event).steal_share is None


def test_plan_is_written_as_the_engine_reads_it() -> None:
    golden = (GOLDEN / "plan.json").read_text()
    plan = msgspec.json.decode(golden, type=contract.Plan)
    assert json.loads(msgspec.json.encode(plan)) == json.loads(golden)
