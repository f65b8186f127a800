"""The paper's functions, sizes and builds."""

from __future__ import annotations

import msgspec

SESSIONS = 100
"""Of every workload whose figures the paper shows."""

SMALLEST, LARGEST = 16, 65536
"""Bytes of its messages."""

PACKET = 1024
"""Bytes of the messages of figures 8–11 here; the paper does not state theirs."""


class Function(msgspec.Struct, frozen=True):
    """A function that generates MACs."""

    name: str
    """As the paper has it: `OMAC-SERPENT`."""
    algorithm: str

    @property
    def family(self) -> str:
        """`OMAC`."""
        return self.name.partition("-")[0]


MD5 = Function("HMAC-MD5", "hmac-md5")
SHA1 = Function("HMAC-SHA1", "hmac-sha1")
SHA256 = Function("HMAC-SHA256", "hmac-sha256")
SHA512 = Function("HMAC-SHA512", "hmac-sha512")
RIJNDAEL = Function("OMAC-RIJNDAEL", "cmac-aes-128")
TWOFISH = Function("OMAC-TWOFISH", "cmac-twofish-128")
SERPENT = Function("OMAC-SERPENT", "cmac-serpent-128")
RC6 = Function("OMAC-RC6", "cmac-rc6-128")
# The paper does not state the length of the tag.
VMAC_64 = Function("VMAC-AES128/64", "vmac-64")
VMAC_128 = Function("VMAC-AES128/128", "vmac-128")

VMACS = (VMAC_64, VMAC_128)
FUNCTIONS = (MD5, SHA1, SHA256, SHA512, RIJNDAEL, TWOFISH, SERPENT, RC6, *VMACS)
BY_ALGORITHM = {it.algorithm: it for it in FUNCTIONS}
