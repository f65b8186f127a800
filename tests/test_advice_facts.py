"""Uses and their files, facts of suites, what is refused, and which wishes contradict."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advice_example import known, rows
from ciphermark import contract
from ciphermark.answers.advice import uses as advice
from ciphermark.answers.advice.candidates import (
    Candidate,
    candidates,
    conflicts,
    constraints,
    reasons,
    ruled_out,
)
from ciphermark.answers.advice.facts import facts, forgery
from ciphermark.answers.advice.uses import TagWish, Wishes, compliance, tag_wish
from ciphermark.errors import UsageError
from ciphermark.run import caches
from survey_example import ALGORITHMS

USES = list(advice.USES.files())


@cache
def every() -> dict[str, contract.Algorithm]:
    """The facts of all algorithms, from their files."""
    texts = (path.read_text("utf-8") for path in Path(ALGORITHMS).glob("*.toml"))
    found = [msgspec.convert(tomllib.loads(it), contract.Algorithm) for it in texts]
    return {it.name: it for it in found}


@pytest.mark.parametrize("name", USES)
def test_every_use_is_made_of_what_is_known(name: str) -> None:
    use = advice.USES.named(name)
    for suite in [*use.suites, *(it for tool in use.tools for it in tool.suites)]:
        assert facts(suite, use, every()) is not None, suite
    for spelling in use.spellings:
        assert facts(spelling.name, use, every()) is not None, spelling.name
    for weak in [*use.asked_about, *use.must_not]:
        assert every()[weak].status in ("legacy", "broken"), weak
    assert advice.traffic(use, None, None).mean_bytes > 0


@pytest.mark.parametrize("name", USES)
def test_what_algorithms_has_is_not_said_again(name: str) -> None:
    """Security is stated in `algorithms/`; a use has facts only of what is not there."""
    for it in advice.USES.named(name).unmeasured:
        assert it.name not in every()


@pytest.mark.parametrize("name", ["ipsec", "tls", "openvpn", "ssh", "3gpp", "lorawan", "srtp"])
def test_every_suite_with_a_tag_has_a_bound_on_forgeries(name: str) -> None:
    use = advice.USES.named(name)
    for suite in use.suites:
        it = facts(suite, use, every())
        assert it is not None and it.tagged_by is not None
        assert forgery(it.tagged_by, it.tag_bytes, 100) is not None, suite


def test_a_suite_is_as_good_as_the_worse_of_its_parts() -> None:
    it = facts("esp:aes-256-cbc+hmac-sha1-96", advice.USES.named("ipsec"), every())
    assert it is not None
    assert (it.status, it.strength_bits, it.fips_approved) == ("legacy", 128, True)
    assert (it.tag_bytes, it.whole_tag_bytes, it.tagged_by) == (12, 20, "hmac-sha1")
    assert it.title == "AES-256-CBC + HMAC-SHA1-96"
    assert [part.name for part in it.weak_parts] == ["hmac-sha1"]
    assert "2030" in it.weak_parts[0].status_reason


def test_facts_of_a_suite_that_the_engine_knows_have_framing_and_standing() -> None:
    it = facts("esp:aes-128-cbc+hmac-md5-96", advice.USES.named("ipsec"), known())
    assert it is not None
    assert it.forbidden and it.framing is not None and it.framing.icv_bytes == 12
    assert it.limits == [
        "4.3 × 10^9 packets: Sequence numbers of 32 bits must not repeat under one key "
        "(RFC 4303, section 3.3.3)"
    ]


def test_a_suite_whose_parts_nobody_knows_has_its_own_facts() -> None:
    """As on a machine to which only a run was copied."""
    name = "esp:aes-128-cbc+hmac-md5-96"
    it = facts(name, advice.USES.named("ipsec"), {name: known()[name]})
    assert it is not None
    assert (it.status, it.tag_bytes, it.tagged_by) == ("legacy", 12, "hmac-md5")
    assert it.forbidden and it.title == "ESP aes-128-cbc+hmac-md5-96"


def test_what_hides_headers_only_does_not_count() -> None:
    """QUIC hides packet numbers by single blocks of AES, which as a mode would be legacy."""
    parts = every()
    gcm = msgspec.structs.replace(
        known()["esp:aes-128-gcm"],
        name="quic:aes-128-gcm",
        status="legacy",
        status_reason="The bare block cipher",
    )
    it = facts("quic:aes-128-gcm", advice.USES.named("quic"), parts | {gcm.name: gcm})
    assert it is not None and it.status == "recommended"


def test_what_is_not_measured_here_has_facts_of_its_own() -> None:
    it = facts("esp:3des-cbc+hmac-md5-96", advice.USES.named("ipsec"), every())
    assert it is not None
    assert (it.status, it.strength_bits) == ("legacy", 112)
    assert {part.name for part in it.parts} == {"3des-cbc", "hmac-md5"}


def found(wishes: Wishes, use: str = "ipsec") -> list[Candidate]:
    return candidates(advice.USES.named(use), known(), rows(), wishes)


@pytest.mark.parametrize(
    ("wishes", "left"),
    [
        (Wishes(), {"aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"}),
        (Wishes(strength_bits=256), {"aes-256-gcm", "chacha20-poly1305"}),
        (Wishes(fips=True), {"aes-128-gcm", "aes-256-gcm"}),
    ],
)
def test_wishes_leave_what_fulfils_them(wishes: Wishes, left: set[str]) -> None:
    tests = constraints(advice.USES.named("ipsec"), wishes)
    names = {it.facts.name for it in found(wishes) if it.costs and not reasons(it, tests)}
    assert {it.removeprefix("esp:") for it in names if "+" not in it} == left


def test_legacy_is_refused_unless_it_is_allowed_and_broken_always() -> None:
    md5 = next(it for it in found(Wishes()) if "md5" in it.facts.name)
    use = advice.USES.named("ipsec")
    (reason,) = reasons(md5, constraints(use, Wishes()))
    assert reason.because.startswith("HMAC-MD5 is legacy: Collisions of MD5")
    assert reason.source.startswith("RFC 8221")
    assert not reasons(md5, constraints(use, Wishes(allow_legacy=True)))
    broken = candidates(use, every(), [], Wishes(), ["tea-ecb"])[-1]
    allowed = constraints(use, Wishes(allow_legacy=True, needs_integrity=False))
    assert [it.wish for it in reasons(broken, allowed)] == ["status", "strength"]


def test_what_only_encrypts_is_no_suite_where_changes_have_to_be_noticed() -> None:
    facts_ = every()
    use = advice.USES.named("3gpp")
    it = facts("pdcp:eea2", use, facts_)
    assert it is not None and (it.tag_bytes, it.tagged_by) == (0, None)
    (reason,) = reasons(Candidate(it, ()), constraints(use, Wishes()))
    assert reason.wish == "integrity"
    assert not reasons(Candidate(it, ()), constraints(use, Wishes(tag=TagWish(0))))


def test_the_smallest_contradictions_are_named() -> None:
    """No suite of ESP has a tag of 12 bytes and 256 bits: those with 12 bytes have HMAC-SHA1 or
    HMAC-MD5, of 128 bits."""
    wishes = Wishes(strength_bits=256, tag=TagWish(12), fips=True, allow_legacy=True)
    them = found(wishes)
    tests = constraints(advice.USES.named("ipsec"), wishes)
    assert [it.wishes for it in conflicts(them, tests)] == [("strength", "tag")]
    counts = {wish: (count, of) for wish, _, count, of in ruled_out(them, tests)}
    assert counts["tag"][0] == sum(it.facts.tag_bytes != 12 for it in them)
    assert counts["strength"][1] == len(them)


WISHES = st.builds(
    Wishes,
    strength_bits=st.sampled_from([0, 128, 192, 256]),
    tag=st.sampled_from([None, TagWish(4), TagWish(12), TagWish(16), TagWish(16, "+")]),
    fips=st.booleans(),
    allow_legacy=st.booleans(),
)


@pytest.mark.slow
@given(WISHES)
def test_contradictions_are_minimal(wishes: Wishes) -> None:
    them = found(wishes)
    tests = constraints(advice.USES.named("ipsec"), wishes)
    contradictions = conflicts(them, tests)
    assert bool(contradictions) == all(reasons(it, tests) for it in them)
    for conflict in contradictions:
        chosen = [it for it in tests if it.name in conflict.wishes]
        assert all(reasons(it, chosen) for it in them)
        for dropped in chosen:
            rest = [it for it in chosen if it is not dropped]
            assert any(not reasons(it, rest) for it in them)


@pytest.mark.parametrize(
    ("typed", "fits", "fails"), [("16", 16, 12), ("12+", 16, 8), ("8-", 4, 12), (" 4 ", 4, 16)]
)
def test_lengths_of_tags_are_exact_or_bounds(typed: str, fits: int, fails: int) -> None:
    wish = tag_wish(typed)
    assert wish is not None and wish.fits(fits) and not wish.fits(fails)


@pytest.mark.parametrize("typed", ["x", "16B", "-4", "100"])
def test_what_is_no_length_of_tags_is_refused(typed: str) -> None:
    with pytest.raises(UsageError, match=r"--tag .* is not a length of tags: write bytes"):
        tag_wish(typed)


def test_compliance_is_read_and_contradictions_are_refused() -> None:
    assert compliance("fips,no-legacy", False) == (True, False)
    with pytest.raises(UsageError, match="contradict"):
        compliance("no-legacy", True)
    with pytest.raises(UsageError, match="near: fips"):
        compliance("fipps", False)


def test_tags_are_cut_only_as_far_as_their_standards_allow() -> None:
    """RFC 2104 wants half of the digest, SP 800-38B 64 bits."""
    use = advice.USES.named("mac-only")
    macs = {it: every()[it] for it in ("hmac-sha256", "cmac-aes-128", "umac-64")}
    wanted = Wishes(tag=TagWish(8))
    them = candidates(use, macs, [], wanted, macs)
    assert {it.facts.name: it.facts.tag_bytes for it in them} == {
        "hmac-sha256": 32,
        "cmac-aes-128": 8,
        "umac-64": 8,
    }
    hmac = next(it for it in them if it.facts.name == "hmac-sha256")
    (reason,) = reasons(hmac, constraints(use, wanted))
    assert reason.because == "its tag has 32 bytes and may not be cut below 16"
    assert "RFC 2104" in reason.source
    cut = candidates(use, macs, [], Wishes(tag=TagWish(16)), ["hmac-sha256"])[0]
    assert (cut.facts.tag_bytes, cut.facts.title) == (16, "HMAC-SHA256 cut to 16 bytes")


def test_facts_are_asked_of_an_engine_once(tmp_path: Path) -> None:
    """Until the engine is another file; and a damaged copy is asked for anew."""

    class Counted:
        path = tmp_path / "engine"
        asked = 0

        def describe(self) -> object:
            self.asked += 1
            return SimpleNamespace(algorithms=[every()["md5"]], implementations=[])

    engine, folder = Counted(), tmp_path / "cache"
    engine.path.write_text("one")
    assert [it.name for it in caches.algorithms(engine, folder)] == ["md5"]
    assert caches.algorithms(engine, folder) == [every()["md5"]]
    assert engine.asked == 1
    (copy,) = folder.iterdir()
    copy.write_text("[")
    assert caches.algorithms(engine, folder) == [every()["md5"]]
    engine.path.write_text("another")
    caches.algorithms(engine, folder)
    assert engine.asked == 3
