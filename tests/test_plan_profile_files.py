"""Files of profiles: layers, shares, MTU, bursts and CSV, and the sentences about what is wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.errors import UsageError
from ciphermark.plan import profiles
from ciphermark.plan.profile import Profile
from ciphermark.plan.profile_file import whole_weights

TITLE = 'title = "mine"\n'


def one(size: object, rest: str = "weight = 1") -> str:
    return f"[[messages]]\nbytes = {size}\n{rest}\n"


def toml(folder: Path, text: str) -> Profile:
    path = folder / "mine.toml"
    path.write_text(TITLE + text)
    return profiles.read(path)


def csv(folder: Path, text: str) -> Profile:
    path = folder / "mine.csv"
    path.write_text(text, encoding="utf-8")
    return profiles.read(path)


def mix(profile: Profile) -> dict[int, float]:
    return dict(profile.weighted())


@pytest.mark.parametrize("profile", profiles.PROFILES.all(), ids=lambda it: it.name)
def test_every_profile_says_where_it_is_from(profile: Profile) -> None:
    assert len(profile.source) > 30
    assert sum(share for _, share in profile.weighted()) == pytest.approx(1)
    assert sum(n * share for n, share in profile.weighted()) == pytest.approx(profile.mean_bytes)
    assert profile.mtu_bytes is None or profile.largest_bytes <= profile.mtu_bytes
    assert profile.bursts is None or profile.bursts.source


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("voip", {200: 1}),  # RTP 12 + UDP 8 + IPv4 20 + 64 kbit/s · 20 ms / 8
        ("voip-g729", {60: 1}),  # 40 + 8 kbit/s · 20 ms / 8
        ("wireguard-1420", {1420: 1}),
        ("tls-16k", {2**14: 1}),
        ("sector-512", {512: 1}),
        ("sector-4096", {4096: 1}),
    ],
)
def test_profiles_of_one_size(name: str, sizes: dict[int, float]) -> None:
    [profile] = profiles.from_option(name)
    assert mix(profile) == sizes


def test_ethernet_frames_become_the_packets_in_them(tmp_path: Path) -> None:
    profile = toml(tmp_path, 'layer = "ethernet"\n' + one(64) + one("[1000, 1518]"))
    assert [it.ends for it in profile.parts] == [(46, 46), (982, 1500)]


def test_shares_are_kept_in_their_ratio(tmp_path: Path) -> None:
    text = one(40, "share = 58.33") + one(576, "share = 33.33") + one(1500, "share = 8.34")
    assert mix(toml(tmp_path, text)) == pytest.approx({40: 0.5833, 576: 0.3333, 1500: 0.0834})


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=6))
@settings(deadline=None)
def test_shares_of_any_mix_become_its_weights(weights: list[int]) -> None:
    shares = [round(100 * it / sum(weights), 4) for it in weights]
    whole = whole_weights(shares)
    for weight, number in zip(weights, whole, strict=True):
        assert number / sum(whole) == pytest.approx(weight / sum(weights), abs=2e-4)


BURSTS = '[bursts]\npeak_bits_per_second = 8e4\nmean_on_s = 1\nsource = "a test"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (one(40, "share = 50") + one(50, "share = 40"), r"sum up to 90, .* \(line 5\)"),
        (one(40, "share = 0.5") + one(50), r"some sizes have weights .* \(line 5\)"),
        (one(40, ""), r"needs a weight .* \(line 2\)"),
        (one(40, "weight = 1\nshare = 1"), r"and not both \(line 2\)"),
        ("mtu_bytes = 1500\n" + one(40) + one(1501), r"1501 bytes are more .* \(line 6\)"),
        (one(40) + one(-1), r"messages\[1\].* \(line 5\)"),
        (one(40) + one(9, "weight = -1"), r"messages\[1\].* \(line 5\)"),
        ("messages = []", "messages is .*a list of at least 1"),
        ('layer = "udp"\n' + one(40), 'layer is "udp", and must be "ip" or'),
        ('layer = "ethernet"\n' + one(17), r"no Ethernet frame.* \(line 3\)"),
        (one(40) + BURSTS + 'kind = "on-off"', "one of mean_off_s and mean_bits_per_second"),
        (one(40) + BURSTS + 'kind = "pareto"\nmean_off_s = 1', "needs a shape"),
        (one(40) + BURSTS + 'kind = "on-off"\nmean_off_s = 1\nshape = 1.5', "has no shape"),
        (one(40) + BURSTS + 'kind = "on-off"\nmean_bits_per_second = 9e4', "not below the peak"),
        (one(40) + BURSTS + 'kind = "pareto"\nmean_off_s = 1\nshape = 1.0', "shape"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_line(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(UsageError, match=words) as error:
        toml(tmp_path, text)
    assert str(error.value).startswith(f"the profile {tmp_path}/mine.toml is not valid: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("bytes,weight\n40,7\n576,4\n1500,1\n", {40: 7 / 12, 576: 4 / 12, 1500: 1 / 12}),
        ("\ufeffbytes, share\r\n40, 25%\r\n1500, 75%\r\n", {40: 0.25, 1500: 0.75}),
        ("length,count\n40,0.5\n\n50,1.5\n", {40: 0.25, 50: 0.75}),
        ("40\n40\n1500\n40\n", {40: 0.75, 1500: 0.25}),
        ('"frame.len"\n"1514"\n"54"\n', {1500: 0.5, 40: 0.5}),
        ("ip.len\n1500\n", {1500: 1}),
    ],
)
def test_csv(tmp_path: Path, text: str, sizes: dict[int, float]) -> None:
    assert mix(csv(tmp_path, text)) == pytest.approx(sizes, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: there is nothing"),
        ("bytes,weight\n", "line 1: there are no sizes"),
        ("bytes;weight\n40;7\n", "line 1: .* has semicolons .* write commas"),
        ("bytes,weight\n40;0,5\n", "line 2: .* has semicolons"),
        ("bytes,weight\n40,0,5\n", "line 2: .* has 3 columns, not 2: numbers have a decimal point"),
        ("bytes,weight\n40,7\n576,\n", "line 3: '' is no weight above 0"),
        ("bytes,weight\n40,7\n576\n", "line 3: '576' has no weight: is the file cut off"),
        ("bytes,weight\n40,-7\n", "line 2: '-7' is no weight"),
        ("bytes,weight\n-40,7\n", "line 2: '-40' is no number of bytes"),
        ("bytes,weight\n4e9,7\n", "line 2: '4e9' is no number of bytes"),
        ("bytes,share\n40,50\n1500,40\n", "line 3: the shares sum up to 90"),
        ("size,number\n40,7\n", "line 1: 'size,number' names no columns"),
        ("40\n50,1\n", "line 2: .* has 2 columns, not 1"),
        ("frame.len\n10\n", "a frame of 10 bytes holds no packet"),
    ],
)
def test_what_is_wrong_in_a_csv_file_is_said_with_its_line(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(UsageError, match=f"mine.csv, {words}" if "line" in words else words):
        csv(tmp_path, text)


@pytest.mark.slow
def test_a_capture_of_many_lengths_stays_a_mix_that_can_be_computed(tmp_path: Path) -> None:
    lengths = [str(40 + 7919 * number % 60_000) for number in range(20_000)]
    profile = csv(tmp_path, "\n".join(lengths))
    assert len(profile.parts) <= 4096
    mean = sum(map(int, lengths)) / len(lengths)
    assert profile.mean_bytes == pytest.approx(mean, rel=1e-3)


def genome(text: str) -> Counter[int]:
    [profile] = profiles.from_option(text)
    return Counter({it.ends[0]: it.weight for it in profile.parts})


def test_a_genome_has_the_letters_of_the_rfc() -> None:
    """RFC 6985, section 4: from a, 64 bytes, to g, 1518; packets have 18 less."""
    assert genome("imix:aaaaabbd") == {46: 5, 110: 2, 494: 1}
    assert genome("imix:abcdefg") == {it - 18: 1 for it in (64, 128, 256, 512, 1024, 1280, 1518)}


def test_a_genome_has_sizes_of_ones_own_and_runs() -> None:
    assert genome("imix:7A4B1C:A=58:B=594:C=1518") == {40: 7, 576: 4, 1500: 1}
    assert genome("imix:AaA:A=100") == {82: 2, 46: 1}


@given(st.lists(st.tuples(st.integers(1, 9), st.sampled_from("abcdefg")), min_size=1, max_size=9))
@settings(deadline=None)
def test_a_run_is_its_letters_one_by_one(genes: list[tuple[int, str]]) -> None:
    long = "".join(count * letter for count, letter in genes)
    short = "".join(f"{count}{letter}" for count, letter in genes)
    assert genome(f"imix:{long}") == genome(f"imix:{short}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("imix:", "no sequence of letters"),
        ("imix:a-b", "no sequence of letters"),
        ("imix:ax", "x is no letter of RFC 6985: there are a 64, b 128"),
        ("imix:aA", "A has no size: write it after a colon, :A=1400"),
        ("imix:aA:B=9", "A has no size"),
        ("imix:A:A=100:B=90", "B has a size and is not in the sequence"),
        ("imix:A:A=100:A=90", "'A=90' is not the size of one more capital letter"),
        ("imix:A:A=ten", "'A=ten' is not the size"),
        ("imix:A:A=9", "no Ethernet frame"),
        ("imix:0a", "has 0 packets"),
        ("imix:999999a9b", "has 1000008 packets"),
    ],
)
def test_what_is_no_genome_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        profiles.from_option(text)
