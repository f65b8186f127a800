"""What `ciphermark simulate` makes of the algorithms that are typed."""

from __future__ import annotations

import msgspec
import pytest

from ciphermark.contract import Description
from ciphermark.errors import UsageError
from ciphermark.plan import simulation
from lent_engine import description


@pytest.fixture(scope="module")
def facts() -> Description:
    """All algorithms, of which these have a kernel."""
    known = description()
    own = [
        msgspec.structs.replace(it, provider=simulation.PROVIDER, backend="reference")
        for it in known.implementations
        if it.provider == "openssl" and it.algorithm in ("sha256", "hmac-sha256", "aes-128-gcm")
    ]
    return msgspec.structs.replace(known, implementations=own)


def planned(facts: Description, typed: str) -> simulation.Simulations:
    return simulation.plan(facts, ["cortex-m0"], algorithms=typed)


def test_a_pattern_leaves_out_what_has_no_kernel_with_a_note(facts: Description) -> None:
    found = planned(facts, "hmac-*,sha256")
    assert {it.algorithm for it in found.cases} == {"hmac-sha256", "sha256"}
    [note] = [it for it in found.notes if it.startswith("left out")]
    assert "hmac-sha512" in note and "hmac-sha256" not in note


def test_a_name_without_a_kernel_is_refused(facts: Description) -> None:
    with pytest.raises(UsageError, match="no kernel of ours computes hmac-sha512"):
        planned(facts, "hmac-*,hmac-sha512")


def test_a_pattern_that_only_fits_what_has_no_kernel_is_refused(facts: Description) -> None:
    with pytest.raises(UsageError, match=r"no kernel of ours computes camellia-\*"):
        planned(facts, "camellia-*")


def test_all_targets_are_meant_by_all() -> None:
    assert simulation.find_targets("all", ["cortex-m0", "atmega128"]) == ["cortex-m0", "atmega128"]
