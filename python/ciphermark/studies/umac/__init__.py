"""The `umac` study: UMAC and UHASH of the year 2000 and five functions beside them.

The page has cycles per byte of a Pentium III and a PowerPC 7400. Here each function is shown in its
fastest implementation, UMAC with RC6, which its authors' code of that month used, and with AES.
"""

from ciphermark.studies.umac.drawn import charts
from ciphermark.studies.umac.judged import STATEMENTS, claims
from ciphermark.studies.umac.tabulated import tables

__all__ = ["STATEMENTS", "charts", "claims", "tables"]
