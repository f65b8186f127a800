"""Every configuration that advice prints, read by the program that it is for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ciphermark.answers.advice import uses as advice
from ciphermark.answers.advice.peers import offers
from ciphermark.answers.advice.uses import settings
from test_advice_facts import every

NAMESPACE = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-Urn"]


def program(name: str, *folders: str) -> str:
    """The path of a program; the test is skipped where it is not installed."""
    folders = (*os.environ["PATH"].split(":"), "/usr/sbin", "/sbin", *folders)
    found = shutil.which(name, path=":".join(folders))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def ran(*command: str, typed: str = "") -> tuple[int, str]:
    """The exit code of a program, and its output with its messages."""
    ended = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=30)
    return ended.returncode, ended.stdout + ended.stderr


def printed(use: str, *tools: str) -> list[str]:
    """The lines for tools of every suite of a use alone, and of each before all others."""
    found = advice.USES.named(use)
    names = dict.fromkeys([*found.suites, *(it for tool in found.tools for it in tool.suites)])
    texts = []
    for name in names:
        for others in ([], [it for it in found.suites if it != name]):
            lines = [it.line for it in settings(found, name, others) if it.tool in tools]
            texts += ["\n".join(lines)] if lines else []
    return list(dict.fromkeys(texts))


def filled(text: str, values: dict[str, str]) -> str:
    """A configuration with the values that a user puts in place of `<private key>`."""
    return re.sub(r"<([^>]+)>", lambda match: values[match[1]], text)


PEERS = [
    "aes128-sha256-modp2048",
    "aes256gcm16-ecp384-x25519",
    "aes128-sha1-dh14",
    "3des-md5-modp1024",
    "aes128-sha256",
    "camellia256-sha512-curve448",
]


def proposals(tool: str) -> Iterator[str]:
    """The lines of all suites of IPsec, and of peers with groups of their own."""
    use = advice.USES.named("ipsec")
    yield from printed("ipsec", tool)
    for typed in PEERS:
        for offer in offers(typed, use, every()):
            found = settings(use, offer.suites[0], (), offer.groups, offer.words)
            yield from (it.line for it in found if it.tool == tool)


CHARON = """charon-systemd {{
  plugins {{ vici {{ socket = unix://{socket} }} }}
}}
"""
CONNECTION = """c{number} {{
  local {{ auth = psk }}
  remote {{ auth = psk }}
  children {{ net {{
    {line}
  }} }}
}}
"""


def loaded(folder: Path, lines: Iterable[str]) -> str:
    """The messages of strongSwan that loads a connection of each line."""
    swanctl, charon = program("swanctl"), program("charon-systemd")
    socket, settings_ = folder / "vici", folder / "strongswan.conf"
    settings_.write_text(CHARON.format(socket=socket))
    connections = folder / "swanctl.conf"
    sections = [CONNECTION.format(number=number, line=it) for number, it in enumerate(lines)]
    connections.write_text("connections {\n" + "".join(sections) + "}\n")
    environment = os.environ | {"STRONGSWAN_CONF": str(settings_)}
    daemon = subprocess.Popen(
        [*NAMESPACE, charon],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(100):
            if socket.exists() or daemon.poll() is not None:
                break
            time.sleep(0.1)
        if daemon.poll() is not None:
            pytest.skip("charon does not start here: it needs network namespaces")
        where = ("--uri", f"unix://{socket}", "--file", str(connections))
        return ran(swanctl, "--load-conns", *where)[1]
    finally:
        daemon.terminate()
        daemon.wait(20)


def test_strongswan_loads_every_proposal(tmp_path: Path) -> None:
    lines = list(dict.fromkeys(proposals("strongswan")))
    assert "esp_proposals = aes128-sha256-modp2048" in lines
    assert f"successfully loaded {len(lines)} connections" in loaded(tmp_path, lines)


def test_strongswan_refuses_a_proposal_that_there_is_not(tmp_path: Path) -> None:
    assert "failed to load" in loaded(tmp_path, ["esp_proposals = aes128gcm17-x25519"])


def test_libreswan_reads_every_proposal() -> None:
    """Debian has it, but not beside strongSwan, with which it conflicts."""
    algparse = program("algparse", "/usr/libexec/ipsec")
    for line in proposals("libreswan"):
        code, messages = ran(algparse, "-pfs=yes", line)
        assert code == 0 and "ERROR" not in messages, messages


OPENVPN = """tls-client
proto tcp-client
remote 127.0.0.1 1
dev null
ca {folder}/cert.pem
cert {folder}/cert.pem
key {folder}/key.pem
connect-retry-max 1
connect-retry 0 0
verb 3
"""


def openvpn(folder: Path, lines: str) -> str:
    """The messages of OpenVPN that finds nobody at the other end."""
    if not (folder / "key.pem").exists():
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x")
        files = ("-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem")
        assert ran(program("openssl"), "req", "-x509", *curve, *files)[0] == 0
    file = folder / "client.conf"
    file.write_text(OPENVPN.format(folder=folder) + lines + "\n")
    return ran(program("openvpn"), "--config", str(file))[1]


def test_openvpn_takes_ciphers_with_their_integrity(tmp_path: Path) -> None:
    for lines in printed("openvpn", "openvpn", "openvpn-auth"):
        assert ("CBC" in lines) == ("auth SHA" in lines)
        assert "connect-retry-max" in openvpn(tmp_path, lines), lines
    assert "unsupported cipher" in openvpn(tmp_path, "data-ciphers AES-256-GMC")


def test_wireguard_reads_the_template(tmp_path: Path) -> None:
    wg = program("wg")
    key = ran(wg, "genkey")[1].strip()
    values = {
        "private key": key,
        "public key of the peer": ran(wg, "pubkey", typed=key)[1].strip(),
        "address of the peer": "192.0.2.1",
    }
    (lines,) = printed("wireguard", "wg-quick")
    file = tmp_path / "wg0.conf"
    file.write_text(filled(lines, values) + "\n")
    code, stripped = ran(program("wg-quick"), "strip", str(file))
    assert code == 0 and "Address" not in stripped
    file.write_text(stripped)
    # Without such an interface it says so once it has read the file.
    messages = ran(*NAMESPACE, wg, "setconf", "absent", str(file))[1]
    assert "Unable to modify interface" in messages and "parsing error" not in messages


@pytest.mark.parametrize("use", ["tls", "quic"])
def test_openssl_takes_the_suites_of_its_configuration(use: str, tmp_path: Path) -> None:
    openssl, file = program("openssl"), tmp_path / "openssl.cnf"
    for line in printed(use, "openssl"):
        sections = "openssl_conf=a\n[a]\nssl_conf=b\n[b]\nsystem_default=c\n[c]\n"
        file.write_text(sections + line + "\n")
        environment = ("env", f"OPENSSL_CONF={file}")
        listed = ran(*environment, openssl, "ciphers", "-s", "-tls1_3")[1].strip()
        assert listed == line.partition(" = ")[2]
    for line in printed(use, "openssl-tls12"):
        names = line.partition(" = ")[2]
        assert ran(openssl, "ciphers", names)[1].strip().endswith(names)


def test_openssl_takes_the_profiles_of_srtp() -> None:
    for line in printed("srtp", "openssl"):
        nowhere = ("-connect", "256.0.0.1:9")  # looked up when the profiles have been set
        messages = ran(program("openssl"), "s_client", *line.split(), *nowhere)[1]
        assert "BIO_lookup" in messages and "SRTP" not in messages, messages


def test_openssh_takes_ciphers_and_macs_of_peers_too(tmp_path: Path) -> None:
    sshd, file, key = program("sshd"), tmp_path / "sshd_config", tmp_path / "key"
    assert ran(program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(key))[0] == 0
    texts = printed("ssh", "openssh-ciphers", "openssh-macs")
    use = advice.USES.named("ssh")
    (offer,) = offers("aes128-ctr+hmac-sha2-256", use, every())
    own = [it.line for it in settings(use, offer.suites[0], (), offer.groups, offer.words)]
    assert own == ["Ciphers aes128-ctr", "MACs hmac-sha2-256"]
    for text in [*texts, "\n".join(own)]:
        file.write_text(f"HostKey {key}\n{text}\n")
        code, messages = ran(sshd, "-t", "-f", str(file))
        assert code == 0 or "privilege separation" in messages, messages


def test_cryptsetup_formats_with_every_cipher(tmp_path: Path) -> None:
    cryptsetup, disk = program("cryptsetup"), tmp_path / "disk"
    quick = ("--batch-mode", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000")
    for line in printed("disk", "cryptsetup"):
        disk.write_bytes(bytes(20 << 20))
        words = [str(disk) if it.startswith("/dev/") else it for it in line.split()]
        code, messages = ran(cryptsetup, *words[1:], *quick, "--key-file=-", typed="password")
        # A kernel need not have every cipher; a name that there is not is refused otherwise.
        lacking = "device-mapper" in messages and "--cipher aes-xts" not in line
        assert code == 0 or lacking, messages


def test_ip_reads_the_command_for_macsec() -> None:
    ip = program("ip")
    pair = f"{ip} link add eth0 type veth peer name eth1"
    for line in printed("macsec", "iproute2"):
        code, messages = ran(*NAMESPACE, "sh", "-c", f"{pair} && {line}")
        assert code == 0 or "Unknown device type" in messages, messages
    wrong = "ip link add link eth0 macsec0 type macsec cipher gcm-aes-512"
    assert "is wrong" in ran(*NAMESPACE, "sh", "-c", f"{pair} && {wrong}")[1]


def test_wpa_supplicant_reads_the_block(tmp_path: Path) -> None:
    wpa, file = program("wpa_supplicant"), tmp_path / "wpa.conf"
    if "unknown" in _of_wpa(wpa, file, "macsec_csindex=1"):
        pytest.skip("wpa_supplicant before 2.11 has no macsec_csindex")
    for line in printed("macsec", "wpa_supplicant"):
        assert "failed to parse" not in _of_wpa(wpa, file, line)


def _of_wpa(wpa: str, file: Path, line: str) -> str:
    file.write_text(f"ap_scan=0\nnetwork={{\n key_mgmt=NONE\n macsec_policy=1\n {line}\n}}\n")
    return ran("timeout", "1", *NAMESPACE, wpa, "-D", "none", "-i", "lo", "-c", str(file))[1]


@pytest.mark.parametrize("use", ["hash", "mac-only"])
def test_openssl_computes_every_hash_and_mac(use: str, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"abc")
    for line in printed(use, "openssl"):
        keys = ("00" * 16, "00" * 32) if "KEY" in line else ("",)
        found = []
        for key in keys:
            words = line.replace("KEY", key).replace("NONCE", "00" * 12).replace("FILE", str(file))
            found.append(ran(program("openssl"), *words.split()[1:]))
        assert any(code == 0 for code, _ in found), (line, found)
