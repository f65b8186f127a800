"""Advice from a run that was really measured."""

from __future__ import annotations

import pytest

from engine_fixture import Command, has_figures, look_at_measured

pytestmark = [pytest.mark.engine, pytest.mark.measures]

SUITES = "esp:aes-128-gcm,esp:chacha20-poly1305,esp:aes-128-cbc+hmac-sha1-96"


def test_advice_goes_by_a_run_that_was_measured(command: Command) -> None:
    """How suites are ranked is tested on made-up runs."""
    measured = command(
        *("esp", "--suites", SUITES, "--providers", "openssl", "--sizes", "256,1024", "--no-parts"),
        *("--precision", "5%", "--budget", "3", "--json"),
    )
    assert measured.code == 0, measured.messages
    rows = measured.document["rows"]
    look_at_measured(rows)
    advised = command("advise", "--for", "ipsec", "--sizes", "1024", "--json")
    if advised.code != 0:
        # Others kept the machine so busy that nothing can be said.
        assert not all([has_figures(row) for row in rows]), advised.messages
        return
    document = advised.document
    suite = document["recommendation"]["suite"]
    assert suite in SUITES.split(",") and "sha1" not in suite
    assert "esp:aes-128-cbc+hmac-sha1-96" in [it["name"] for it in document["refused"]]
    assert document["run"] == measured.document["run"]
    assert document["recommendation"]["facts"]["limits"]
