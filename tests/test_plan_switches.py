"""Several features of the processor hidden at once."""

from __future__ import annotations

import msgspec
import pytest

from ciphermark import contract
from ciphermark.plan import paths
from lent_engine import all_algorithms, implementation, provider


def told(name: str, **features: dict[str, str]) -> contract.Provider:
    return msgspec.structs.replace(provider(name), switches=features)


OPENSSL = told(
    "openssl",
    aes={"OPENSSL_ia32cap": "~0x200000000000000:~0x20000000000"},
    ssse3={"OPENSSL_ia32cap": "~0x20000000000:~0x0"},
    vaes={"OPENSSL_ia32cap": "~0x0:~0x20000000000"},
)
BOTAN = told("botan", aes={"BOTAN_CLEAR_CPUID": "aesni"}, ssse3={"BOTAN_CLEAR_CPUID": "ssse3"})
# What it names is what is left, so that no two can be put together.
NETTLE = told(
    "nettle",
    aes={"NETTLE_FAT_OVERRIDE": "vendor:intel,sha_ni"},
    ssse3={"NETTLE_FAT_OVERRIDE": "vendor:intel,aesni"},
)


@pytest.mark.parametrize(
    ("features", "variables"),
    [
        (["aes"], {"OPENSSL_ia32cap": "~0x200000000000000:~0x20000000000"}),
        (["aes", "ssse3"], {"OPENSSL_ia32cap": "~0x200020000000000:~0x20000000000"}),
        # Bits that both hide are hidden once.
        (["aes", "vaes"], {"OPENSSL_ia32cap": "~0x200000000000000:~0x20000000000"}),
        (["aes", "sha_ni"], {"OPENSSL_ia32cap": "~0x200000000000000:~0x20000000000"}),
        (["sha_ni"], None),
        ([], None),
    ],
)
def test_masks_are_put_together(features: list[str], variables: dict[str, str] | None) -> None:
    assert paths.hiding_together(features, OPENSSL) == variables


def test_names_are_listed_once() -> None:
    assert paths.hiding_together(["aes", "ssse3", "aes"], BOTAN) == {
        "BOTAN_CLEAR_CPUID": "aesni,ssse3"
    }


def test_what_cannot_be_put_together_is_not() -> None:
    assert paths.hiding_together(["aes", "ssse3"], NETTLE) is None


def test_only_libraries_that_can_be_told_are_measured_without_features() -> None:
    [aes] = [it for it in all_algorithms() if it.name == "aes-128-cbc"]
    offered = [implementation(aes, name) for name in ("openssl", "rustcrypto", "nettle")]
    providers = [OPENSSL, NETTLE, provider("rustcrypto")]
    [found] = paths.without(offered, ["aes", "ssse3"], providers)
    assert (found.provider, found.default) == ("openssl", False)
    assert found.switches == {"OPENSSL_ia32cap": "~0x200020000000000:~0x20000000000"}
