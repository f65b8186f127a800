"""`ciphermark esp` with the engine: what it prints, keeps, and shows again."""

from __future__ import annotations

import pytest

from ciphermark.workloads.single.row import Row
from engine_fixture import Command, look_at_measured, refusal

pytestmark = [pytest.mark.engine, pytest.mark.measures]

SHORT = (
    *("esp", "--suites", "esp:aes-128-gcm,esp:aes-128-cbc+hmac-sha1-96,pdcp:eea2"),
    *("--providers", "rustcrypto,kernels", "--sizes", "60", "--budget", "1"),
)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, engine) -> Command:  # noqa: ANN001
    """A command whose runs folder has one short run."""
    command = Command(tmp_path_factory.mktemp("esp") / "runs", engine.path)
    ended = command(*SHORT, "--json")
    assert ended.code == 0, ended.messages
    # 60 is no whole number of blocks: the cipher by itself is measured at 64. What has no figure on
    # a busy machine has no parts.
    for found in ended.document["parts"]:
        assert found["message_bytes"] == 60 and found["parts_mbytes_per_second"] > 0
        assert found["error"] > -1
    return command


def test_rows_are_those_of_a_survey(measured: Command) -> None:
    rows = measured("show", "--json").document["rows"]
    suites = [row for row in rows if ":" in row["algorithm"]]
    assert {row["algorithm"] for row in suites} == set(SHORT[2].split(","))
    assert {row["operation"] for row in suites} == {"seal", "open"}
    look_at_measured(rows)
    for row in rows:
        assert row.keys() == set(Row.__struct_fields__)


def test_a_stored_run_is_shown_and_reported(measured: Command, tmp_path) -> None:  # noqa: ANN001
    shown = measured("show")
    assert shown.code == 0, shown.messages
    assert "Protected packets · seal" in shown.output
    assert "Protected packets · open" in shown.output
    page = tmp_path / "report.html"
    ended = measured("report", "last", "--output", page)
    assert ended.code == 0, ended.messages
    assert "Protected packets" in page.read_text("utf-8")


def test_a_spread_that_there_is_not_is_refused(command: Command) -> None:
    assert "there is no way to spread" in refusal(command, "esp", "--spread", "both")


def test_suites_are_listed_apart_from_algorithms(command: Command) -> None:
    suites = command("list", "suites", "--json").document["suites"]
    plain = command("list", "algorithms", "--json").document["algorithms"]
    assert all(":" in it["name"] and it["suite"]["limits"] for it in suites)
    assert not any(":" in it["name"] for it in plain)
    framing = next(it for it in suites if it["name"] == "esp:aes-128-gcm")["suite"]["framing"]
    assert framing == {
        "outer_bytes": 20,
        "header_bytes": 8,
        "iv_bytes": 8,
        "trailer_bytes": 2,
        "pad_to": 4,
        "icv_bytes": 16,
    }


def test_packets_and_sessions_take_suites(command: Command) -> None:
    one = ("--algorithms", "esp:aes-128-gcm", "--providers", "rustcrypto", "--sizes", "100")
    packets = command(
        *("packets", *one, "--operations", "seal", "--packets", "500", "--cpus", "0"),
        *("--delivery", "ordered", "--duration", "100ms", "--json"),
    )
    assert packets.code == 0, packets.messages
    sessions = command(
        *("sessions", *one, "--operations", "open", "--sessions", "2", "--cpus", "0"),
        *("--duration", "100ms", "--attempts", "1", "--json"),
    )
    assert sessions.code == 0, sessions.messages
    for row in packets.document["rows"] + sessions.document["rows"]:
        assert row["error"] is None and row["algorithm"] == "esp:aes-128-gcm"


def test_the_next_step_asks_about_the_same_peer_and_tunnels(command: Command) -> None:
    ended = command(
        *("esp", "--peer-supports", "aes128-sha256,3des-md5", "--tunnels", "20"),
        *("--providers", "rustcrypto", "--sizes", "60", "--no-parts", "--budget", "1"),
    )
    assert ended.code == 0, ended.messages
    words = " ".join(ended.output.split())
    assert "advise --for ipsec --peer-supports aes128-sha256,3des-md5 --tunnels 20" in words
    assert "no library here has esp:3des-cbc+hmac-md5-96" in ended.messages
