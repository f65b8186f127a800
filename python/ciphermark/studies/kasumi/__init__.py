"""The `kasumi` study: packets of 3G's cipher over cores and accelerators.

The thesis sends blocks of packets from one core of an OCTEON to others, measures the transfer alone
and with ciphering, and compares software with the chip's accelerator. Its conclusions are asked of
its own tables and of this machine.
"""

from ciphermark.studies.kasumi.drawn import charts
from ciphermark.studies.kasumi.judged import STATEMENTS, claims
from ciphermark.studies.kasumi.tabulated import tables

__all__ = ["STATEMENTS", "charts", "claims", "tables"]
