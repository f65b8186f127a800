"""Names of all tools, what is chosen of a peer's list, and the settings that are printed."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from advice_example import known, rows
from ciphermark.answers.advice import uses as advice
from ciphermark.answers.advice.candidates import candidates, constraints, reasons
from ciphermark.answers.advice.peers import Peer, judge, offers, read
from ciphermark.answers.advice.ranking import Load, ranking
from ciphermark.answers.advice.uses import Wishes, settings
from ciphermark.errors import UsageError
from test_advice_facts import every

GCM, SHA1, MD5 = "esp:aes-128-gcm", "esp:aes-128-cbc+hmac-sha1-96", "esp:aes-128-cbc+hmac-md5-96"


@pytest.mark.parametrize(
    ("use", "typed", "names"),
    [
        ("ipsec", "aes128-sha1,3des-md5,aes128-md5", [SHA1, "esp:3des-cbc+hmac-md5-96", MD5]),
        ("ipsec", "aes128gcm16-modp2048-x25519", [GCM]),
        ("ipsec", "AES_GCM128, aes_gcm256", [GCM, "esp:aes-256-gcm"]),
        ("ipsec", "esp:aes-128-gcm", [GCM]),
        ("ipsec", "aes-128-gcm", [GCM]),
        ("ipsec", "aes128-sha1;dh14", [SHA1]),
        ("ipsec", "aes256-aes128-sha256", ["esp:aes-256-cbc+hmac-sha256-128"]),
        ("ipsec", "chacha20poly1305", ["esp:chacha20-poly1305"]),
        ("ipsec", "des-md5", ["esp:des-cbc+hmac-md5-96"]),
        ("tls", "ECDHE-RSA-AES128-GCM-SHA256", ["tls13:aes-128-gcm"]),
        ("tls", "ECDHE-RSA-AES256-GCM-SHA384:AES128-SHA:DES-CBC3-SHA", ["tls13:aes-256-gcm"]),
        ("tls", "TLS_CHACHA20_POLY1305_SHA256", ["tls13:chacha20-poly1305"]),
        ("tls", "RC4-MD5", ["tls12:rc4-128+hmac-md5"]),
        ("openvpn", "AES-256-GCM:BF-CBC", ["openvpn:aes-256-gcm"]),
        ("ssh", "aes128-gcm@openssh.com", ["ssh:aes-128-gcm"]),
        ("ssh", "aes128-ctr+hmac-sha1", ["ssh:aes-128-ctr+hmac-sha1-etm"]),
        ("ssh", "aes256-ctr+umac-128-etm@openssh.com", ["ssh:aes-256-ctr+umac-128-etm"]),
        ("3gpp", "NEA2+NIA2,128-EEA1+128-EIA1", ["pdcp:eea2+eia2", "pdcp:eea1+eia1"]),
        ("srtp", "AES_CM_128_HMAC_SHA1_80", ["srtp:aes-128-ctr+hmac-sha1-80"]),
        ("macsec", "gcm-aes-256", ["macsec:aes-256-gcm"]),
    ],
)
def test_names_of_all_tools_are_read(use: str, typed: str, names: list[str]) -> None:
    assert read(typed, advice.USES.named(use), every())[: len(names)] == names


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("aes128-sh1", "'sh1'; near: sha1"),
        ("aes128", "names no integrity function beside aes-128-cbc: write for example aes128-sha1"),
        ("sha1", "names no cipher"),
        (",", "names nothing: write what the peer offers"),
        ("aes129-sha1", "'aes129'; near: aes192"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(typed: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        read(typed, advice.USES.named("ipsec"), every())


def peer(typed: str) -> Peer:
    """What comes of a list, with the rows of the example."""
    use, wishes = advice.USES.named("ipsec"), Wishes()
    facts = every() | known()
    load = Load(advice.traffic(use, "imix", None), True, "throughput", None)
    tests = constraints(use, wishes)
    them = candidates(use, facts, rows(), wishes)
    left = [it for it in them if not reasons(it, tests)]
    alone = ranking(left, load)[0]
    return judge(typed, use, facts, rows(), [it.facts.name for it in left], load, alone)


def test_the_best_common_suite_is_chosen_and_priced() -> None:
    """Of HMAC-SHA1 and HMAC-MD5, both legacy, RFC 8221 forbids the latter."""
    it = peer("aes128-sha1,3des-md5,aes128-md5")
    assert it.chosen is not None and it.chosen.facts.name == SHA1
    assert it.weak
    assert it.times_the_cost == pytest.approx(2.65, abs=0.2)
    assert [facts.name for facts in it.unmeasured] == ["esp:3des-cbc+hmac-md5-96"]


def test_what_fulfils_all_wishes_is_preferred_and_of_these_the_cheapest() -> None:
    it = peer("aes128-sha1,aes256-sha256,aes128-sha256")
    assert it.chosen is not None and it.chosen.facts.name == "esp:aes-128-cbc+hmac-sha256-128"
    assert not it.weak


def test_a_peer_with_what_is_best_anyway_costs_nothing() -> None:
    it = peer("3des-md5,aes128gcm16,aes256gcm16")
    assert it.chosen is not None and it.alone is not None
    assert it.chosen.facts.name == it.alone.facts.name
    assert it.times_the_cost == 1


def test_what_was_not_measured_can_only_be_the_least_bad() -> None:
    it = peer("3des-md5,3des-sha1,des-md5")
    assert it.chosen is None and it.least_bad is not None
    assert it.least_bad.name == "esp:3des-cbc+hmac-sha1-96"


def test_nothing_is_chosen_of_what_is_broken() -> None:
    it = peer("des-md5,null-sha1")
    assert it.chosen is None and it.least_bad is None


def lines(use: str, *names: str) -> dict[str, str]:
    found = settings(advice.USES.named(use), names[0], names)
    assert all(it.sources and it.where for it in found)
    return {it.tool: it.line for it in found}


ECDHE_GCM = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
LUKS = "cryptsetup luksFormat --cipher aes-xts-plain64 --key-size 512 --sector-size 4096"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (GCM, ["esp_proposals = aes128gcm16-x25519", "esp=aes_gcm128"]),
        (SHA1, ["esp_proposals = aes128-sha1-x25519", "esp=aes128-sha1"]),
        (
            "tls13:aes-128-gcm",
            ["Ciphersuites = TLS_AES_128_GCM_SHA256", f"CipherString = {ECDHE_GCM}"],
        ),
        ("openvpn:aes-128-cbc+hmac-sha256", ["data-ciphers AES-128-CBC", "auth SHA256"]),
        (
            "ssh:aes-128-ctr+umac-64-etm",
            ["Ciphers aes128-ctr", "MACs umac-64-etm@openssh.com"],
        ),
        ("ssh:aes-128-gcm", ["Ciphers aes128-gcm@openssh.com"]),
        ("disk:aes-256-xts", [f"{LUKS} /dev/<device>"]),
        (
            "macsec:aes-256-gcm",
            [
                "ip link add link eth0 macsec0 type macsec cipher gcm-aes-256 icvlen 16 encrypt on",
                "macsec_csindex=1",
            ],
        ),
    ],
)
def test_the_setting_is_in_the_tool_s_own_words(name: str, expected: list[str]) -> None:
    protocols = {advice.USES.named(it).protocol: it for it in advice.USES.files()}
    assert list(lines(protocols[name.partition(":")[0]], name).values()) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (
            "aes128-sha256-modp2048",
            ["esp_proposals = aes128-sha256-modp2048", "esp=aes128-sha2_256;dh14"],
        ),
        (
            "aes128gcm16-dh19-modp3072",
            ["esp_proposals = aes128gcm16-ecp256-modp3072", "esp=aes_gcm128;dh19+dh15"],
        ),
        # Libreswan has no group of 1024 bits any more.
        ("aes128-sha1-modp1024", ["esp_proposals = aes128-sha1-modp1024"]),
        ("aes128gcm16-ECP_256", ["esp_proposals = aes128gcm16-ecp256", "esp=aes_gcm128;dh19"]),
        ("aes128-sha1", ["esp_proposals = aes128-sha1", "esp=aes128-sha1"]),
    ],
)
def test_the_setting_keeps_the_groups_of_the_peer(typed: str, expected: list[str]) -> None:
    use = advice.USES.named("ipsec")
    (offer,) = offers(typed, use, every())
    found = [it.line for it in settings(use, offer.suites[0], (), offer.groups, offer.words)]
    assert found == expected


def test_two_proposals_of_a_peer_keep_their_own_groups() -> None:
    it = peer("aes128-sha256-modp2048,aes128gcm16-x25519,aes128-sha256-modp3072")
    assert it.beside("esp:aes-128-cbc+hmac-sha256-128")[0] == [14, 15]
    assert it.beside(GCM)[0] == [31]


def test_fallbacks_without_a_tag_of_their_own_come_with_their_integrity() -> None:
    """OpenVPN has one `auth` for all ciphers of the list."""
    suites = [f"openvpn:aes-256-cbc+hmac-{it}" for it in ("sha256", "sha1")]
    found = lines("openvpn", "openvpn:aes-256-gcm", *suites)
    assert found == {
        "openvpn": "data-ciphers AES-256-GCM:AES-256-CBC",
        "openvpn-auth": "auth SHA256",
    }
    found = lines("ssh", "ssh:aes-128-gcm", "ssh:aes-128-ctr+hmac-sha256-etm")
    assert found["openssh-macs"] == "MACs hmac-sha2-256-etm@openssh.com"


def test_lists_have_fallbacks_and_end() -> None:
    parts = ("chacha20-poly1305", "aes-256-gcm", "aes-128-gcm", "aes-128-ccm")
    names = [f"tls13:{it}" for it in parts]
    assert lines("tls", *names)["openssl"] == (
        "Ciphersuites = TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256"
    )


def test_two_settings_of_one_tool_are_two_lines() -> None:
    found = settings(advice.USES.named("3gpp"), "pdcp:eea2+eia2")
    assert [it.line for it in found if it.tool == "srsran"] == [
        "eea_pref_list = EEA2",
        "eia_pref_list = EIA2",
    ]


# Keywords of strongSwan 5.9, src/libstrongswan/crypto/proposal/proposal_keywords_static.txt.
STRONGSWAN = (
    r"null|des|3des|aes(128|192|256)?(ctr|(ccm|gcm)(8|12|16|64|96|128)?)?|chacha20poly1305|"
    r"(camellia|serpent|twofish|blowfish)(128|192|256)?|cast128|sha1|sha256|sha384|sha512|md5|"
    r"aescmac|x25519"
)
# ipsec.conf(5) of Libreswan: esp = ENCRYPT[-INTEGRITY[-DH]], without dashes in names.
LIBRESWAN = r"esp=[a-z0-9_]+(-[a-z0-9_]+)?"


@pytest.mark.parametrize("suite", advice.USES.named("ipsec").suites)
def test_proposals_keep_to_the_documented_grammar(suite: str) -> None:
    found = lines("ipsec", suite)
    proposal = found["strongswan"].removeprefix("esp_proposals = ")
    assert all(re.fullmatch(STRONGSWAN, word) for word in proposal.split("-")), proposal
    if "libreswan" in found:
        assert re.fullmatch(LIBRESWAN, found["libreswan"])


def ran(*command: str) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_openssl_takes_the_cipher_lists() -> None:
    names = [it for it in advice.USES.named("tls").suites if it != "tls13:aes-128-ccm"]
    found = lines("tls", *names)
    of13 = found["openssl"].removeprefix("Ciphersuites = ")
    of12 = found["openssl-tls12"].removeprefix("CipherString = ")
    printed = ran("openssl", "ciphers", "-ciphersuites", of13, of12).strip().split(":")
    assert printed == [*of13.split(":"), *of12.split(":")]


def test_openssl_has_the_macs_and_hashes(tmp_path) -> None:  # noqa: ANN001
    file = tmp_path / "data"
    file.write_bytes(b"abc")
    for name in ("hmac-sha256", "cmac-aes-128", "kmac128", "siphash-2-4-64"):
        key = {"hmac-sha256": "00" * 32}.get(name, "00" * 16)
        line = lines("mac-only", name)["openssl"].replace("KEY", key).replace("FILE", str(file))
        assert ran(*line.split()).strip()
    line = lines("hash", "sha256")["openssl"].replace("FILE", str(file))
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest in ran(*line.split())


def test_openssh_takes_ciphers_and_macs() -> None:
    names = ["ssh:aes-128-ctr+umac-64-etm", "ssh:aes-256-ctr+hmac-sha512-etm"]
    found = lines("ssh", *names)
    options = [word for line in found.values() for word in ("-o", line.replace(" ", "=", 1))]
    printed = ran("ssh", "-G", "-F", "/dev/null", *options, "host")
    assert "ciphers aes128-ctr,aes256-ctr" in printed
    assert "macs umac-64-etm@openssh.com,hmac-sha2-512-etm@openssh.com" in printed
