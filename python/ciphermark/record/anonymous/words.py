"""The texts that may stay: each function returns the text, or as much of it as tells nobody whose
it is."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from ciphermark import workload
from ciphermark.record.layout import new_run_id

Rule = Callable[[str], str]
"""What of a text may stay."""

REMOVED = "left out on export"
"""Instead of sentences, which may hold anything."""

LONGEST = 64

_SLUG = re.compile(r"[a-z0-9][a-z0-9+:_/.-]*")
_ADDRESS = re.compile(
    # IPv4, IPv6, hardware addresses, and names of hosts, which end in a word without digits.
    r"\d{1,3}(\.\d{1,3}){3}|([0-9a-f]{0,4}:){3,}[0-9a-f]{0,4}|[a-z0-9-]+\.[a-z]{2,}(\b|$)",
    re.IGNORECASE,
)
_PATH = re.compile(r"(^|[\s=:,])[~.]{0,2}/|//|\\")
_VERSION = re.compile(r"v?\d+(\.\d+){0,3}[a-z]?([-+.~]?(alpha|beta|rc|pre|dev|git)\.?\d*)?", re.I)
_MODEL = re.compile(r"[A-Z]{0,2}\d{1,2}[A-Z]{0,2}-?[A-Z]?\d{2,5}[A-Z]{0,3}\d?", re.I)
_CLOCK = re.compile(r"\d+(\.\d+)?[GM]Hz", re.IGNORECASE)
_KIND = re.compile(
    r"[A-Za-z0-9_?]{1,20}/family-[\dxa-f?]{1,6}/model-[\dxa-f?]{1,6}/features-[0-9a-f]{8}"
    r"/cores-\d{1,5}/[a-z-]{1,20}"
)
_RUSTC = re.compile(r"rustc \d+\.\d+\.\d+(-(nightly|beta(\.\d+)?))?( \([0-9a-f]{9} [\d-]{10}\))?")
_FLAG = re.compile(
    r"-(?![DUILB])[A-Za-z][A-Za-z0-9_+=,.-]{0,60}|target-(cpu|feature)=[a-z0-9_+,-]{1,60}"
)
_VALUE = re.compile(r"[~:0-9a-z_,=+-]{0,200}|0[xX][0-9A-F]{1,32}")
_VARIABLE = re.compile(r"[A-Z]{3,16}_[A-Za-z0-9_]{2,32}")
_TOOL = re.compile(
    r"[a-z0-9_-]{0,24}(gcc|clang|simavr|qemu[a-z0-9_-]{0,16}|m32c|m16c)[a-z0-9-]{0,8}"
)

BRANDS = frozenset(
    "amd epyc ryzen threadripper pro athlon opteron embedded radeon graphics vega with "
    "intel (r) (tm) intel(r) xeon xeon(r) core core(tm) ultra celeron celeron(r) pentium "
    "pentium(r) atom atom(tm) platinum gold silver bronze max cpu apu processor "
    "core-processor quad-core dual-core six-core eight-core 8-core 12-core 16-core 32-core 64-core "
    "@ v2 v3 v4 v5 v6 gen 11th 12th 13th 14th i3 i5 i7 i9 "
    "arm cortex neoverse ampere altra ampereone graviton graviton2 graviton3 graviton4 cobalt "
    "grace nvidia carmel apple m1 m2 m3 m4 avalanche blizzard icestorm firestorm qualcomm kryo "
    "oryon snapdragon kunpeng huawei hisilicon fujitsu a64fx marvell octeon thunderx thunderx2 "
    "broadcom bcm2711 bcm2712 raspberry pi rockchip allwinner mediatek exynos samsung "
    "ibm power power8 power9 power10 sifive risc-v hygon zhaoxin kaixian via "
    "common kvm qemu virtual version tcg skylake cascadelake icelake sapphirerapids haswell "
    "broadwell rome milan genoa turin skylake-server cascadelake-server icelake-server "
    "epyc-rome epyc-milan epyc-genoa".split()
)
"""What processors are called, in the words of their makers; from what `/proc/cpuinfo`, lscpu and
QEMU print."""

_CORTEX = re.compile(r"(cortex|neoverse|xgene|m)-?[amnrvex]?\d{1,3}(ae|c)?", re.IGNORECASE)

VENDORS = frozenset(
    "authenticamd genuineintel hygongenuine centaurhauls shanghai arm amd intel ampere apple "
    "qualcomm nvidia apm phytium microsoft cavium marvell broadcom hisilicon fujitsu samsung ibm "
    "unknown".split()
)
SYSTEMS = frozenset(
    "debian ubuntu fedora centos rhel red hat enterprise linux rocky almalinux alma oracle suse "
    "opensuse leap tumbleweed sles server arch manjaro gentoo alpine nixos void gnu/linux openwrt "
    "raspbian amazon azure android lts stream bookworm bullseye trixie jammy noble focal".split()
)
GOVERNORS = frozenset("performance powersave schedutil ondemand conservative userspace".split())
CLOCKSOURCES = frozenset(
    "tsc hpet acpi_pm kvm-clock xen jiffies refined-jiffies arch_sys_counter timebase "
    "hyperv_clocksource_tsc_page hyperv_clocksource_msr".split()
)
VIRTUALISATIONS = frozenset(
    "none vm kvm tcg qemu hyper-v vmware xen virtualbox bhyve parallels apple".split()
)
"""As `engine/harness/src/environment/virtualisation.rs` names them."""
WORKLOADS = frozenset(workload.NAMES)
OPERATIONS = frozenset(
    "encrypt decrypt digest keystream setup seal open mac verify encrypt+decrypt".split()
)
SOURCES = frozenset("pmu calibrated nominal tsc cntvct monotonic".split())
PROGRAMS = frozenset(
    ["openssl speed", "cryptest", "32-bit build", "64-bit build", "botan speed", "bench-slope"]
    + ["cryptsetup benchmark", "dpdk-test-crypto-perf", "ipsec_perf", "supercop"]
)
GIVEN = frozenset(["price", "watts"])


def nothing(text: str) -> str:
    """Nothing may stay."""
    return ""


def sentence(text: str) -> str:
    """A sentence for people, which may hold anything."""
    return REMOVED if text else ""


def slug(text: str) -> str:
    """A name as ciphermark gives them, of an algorithm or a code path; no address, no path."""
    plain = _SLUG.fullmatch(text) and len(text) <= LONGEST
    return text if plain and not _ADDRESS.search(text) and not _PATH.search(text) else ""


def key(text: str) -> str:
    """A name as ciphermark gives them, or that of a library's environment variable."""
    return text if _VARIABLE.fullmatch(text) else slug(text)


def value(text: str) -> str:
    """What a switch of a library is set to."""
    return text if _VALUE.fullmatch(text) and not _ADDRESS.search(text) else ""


def version(text: str) -> str:
    """The version of a library or program."""
    return text if _VERSION.fullmatch(text) and not _is_address(text) else ""


def first_version(text: str) -> str:
    """A program's own line about itself: the name of a compiler or simulator, and its version."""
    name = next((it for it in text.split() if _TOOL.fullmatch(it)), "")
    numbers = [it for it in text.split() if version(it)]
    return " ".join([name, *numbers[:1]]) if name and numbers else ""


def processor(text: str) -> str:
    """The words of a processor's name that makers use, and numbers of models."""
    return " ".join(it for it in text.split() if _is_processor(it))


def kind(text: str) -> str:
    """The kind of a machine, as the engine puts it together."""
    parts = text.lower().split("/")
    known = parts[0] in VENDORS and parts[-1] in VIRTUALISATIONS
    return text if known and _KIND.fullmatch(text) else ""


def system(text: str) -> str:
    """A distribution with its version."""
    kept = [it for it in text.split() if it.strip("()").lower() in SYSTEMS or version(it)]
    return " ".join(kept) if any(not version(it) for it in kept) else ""


def kernel(text: str) -> str:
    """The numbers of a kernel's version; what follows may name who built it."""
    found = re.match(r"\d{1,2}(\.\d{1,3}){1,2}(?![\d.])", text)
    return found[0] if found else ""


def hexadecimal(text: str) -> str:
    """A number of a microcode."""
    return text if re.fullmatch(r"(0x)?[0-9a-f]{1,8}", text) else ""


def compiler(text: str) -> str:
    """The line of the Rust compiler."""
    return text if _RUSTC.fullmatch(text) else ""


def command(text: str) -> str:
    """The command of a compiler, if it is no path."""
    return text if _TOOL.fullmatch(text) else ""


def flags(text: str) -> str:
    """Options of a compiler that name no place."""
    kept = [it for it in text.split() if _FLAG.fullmatch(it) and not _ADDRESS.search(it)]
    return " ".join(kept)


def signal(text: str) -> str:
    """The name of a signal."""
    return text if re.fullmatch(r"SIG[A-Z0-9]{2,8}", text) else ""


def place(text: str) -> str:
    """Where a library was found, if that is no path."""
    return text if text == "compiled into the engine" else ""


def implementations(text: str) -> str:
    """A library's name, with its backend: `openssl/default`."""
    return slug(text) if "@" not in text else ""


def one_of(known: frozenset[str]) -> Rule:
    """A word that is known."""
    return lambda text: text if text.lower() in known else ""


@cache
def shipped(folder: str) -> frozenset[str]:
    """The names of files that come with ciphermark: profiles, targets, studies, plans."""
    found = files("ciphermark").joinpath(*folder.split("/")).iterdir()
    return frozenset(it.name.removesuffix(".toml") for it in found if it.name.endswith(".toml"))


def _is_address(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(part.isdigit() for part in parts)


def _is_processor(word: str) -> bool:
    plain = word.strip(",()")
    return (
        word.lower() in BRANDS
        or plain.lower() in BRANDS
        or re.fullmatch(r"\d", word) is not None  # as in Ryzen 7
        or any(it.fullmatch(word) is not None for it in (_MODEL, _CLOCK, _CORTEX))
    )


_VARIANT = re.compile(
    r"(gcc|clang)-\d{1,3}-o[123sz](-(unroll|scalar|no-inline|lto|native|mtune))?|default"
)
"""Builds with flags that came with ciphermark."""
DAY_NS = 86_400 * 10**9
SECOND_NS = 10**9


class Names:
    """What stands for what; kept nowhere but in memory."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._days: dict[int, int] = {}

    def numbered(self, what: str, text: str) -> str:
        """`build-1`, `profile-2`: numbers in the order in which they were met."""
        count = sum(kind == what for kind, _ in self._given) + 1
        return self._given.setdefault((what, text), f"{what}-{count}")

    def identity(self, machine_id: str) -> str:
        """Sixteen hexadecimal digits that nobody can trace to the machine's own."""
        if not machine_id:
            return ""
        return self._given.setdefault(("identity", machine_id), secrets.token_hex(8))

    def provider(self, text: str) -> str:
        """A library; what the user called a build of it is replaced."""
        base, at, label = text.partition("@")
        known = base if re.fullmatch(r"[a-z][a-z0-9_-]{0,30}", base) else "library"
        return f"{known}@{self.variant(label)}" if at else known

    def profile(self, text: str) -> str:
        """A mix of sizes; one of the user's own gets a number."""
        if text in shipped("profiles") or re.fullmatch(r"imix:[a-z]{1,64}", text):
            return text
        return self.numbered("profile", text)

    def target(self, text: str) -> str:
        """A simulated processor, or a way of compiling for it (`atmega128@gcc-5-o3`); one of the
        user's own gets a number."""
        name, at, variant = text.partition("@")
        known = name if name in shipped("targets") else self.numbered("target", name)
        return f"{known}@{self.variant(variant)}" if at else known

    def variant(self, text: str) -> str:
        """A build: a compiler with flags that come with ciphermark, or else a number."""
        return text if _VARIANT.fullmatch(text) else self.numbered("build", text)

    def plan(self, text: str) -> str:
        """The name of a plan or study."""
        known = shipped("plan/defaults") | shipped("studies") | {"import", "simulate", "tune"}
        return text if text in known else self.numbered("plan", text)

    def machine(self, name: str, identity: str, processor: str, virtualisation: str) -> str:
        """A machine's name, from the words of its processor that stay."""
        parts = [it for it in re.split(r"[^a-z0-9]+", processor.lower()) if len(it) > 1]
        told = [
            part for part in parts if part not in ("amd", "intel", "arm", "cpu", "processor", "tm")
        ]
        guest = [virtualisation] if virtualisation not in ("", "none") else []
        if told:
            return "-".join([*told[:3], *guest])
        return self.numbered("machine", identity or name)

    def kind(self, text: str) -> str:
        """A machine's kind; no other export has the name of one of the user's own."""
        return kind(text) or self._given.setdefault(("kind", text), f"kind-{secrets.token_hex(4)}")

    def started(self, unix_ns: int) -> int:
        """The day of a run, and of runs of one day their order: seconds are counted instead."""
        day = unix_ns // DAY_NS
        self._days[day] = self._days.get(day, -1) + 1
        return day * DAY_NS + self._days[day] * SECOND_NS

    @staticmethod
    def run(started_unix_ns: int) -> str:
        """A new identifier."""
        return new_run_id(started_unix_ns)
