"""The `mac-sessions` study: ten MACs with many sessions at once.

The paper shows absolute cycles per byte over message size by build of its library, and wall-clock,
absolute and apparent cycles of each of 100 sessions by number of cores. It prints plots alone, so
what is judged here are its sentences.
"""

from ciphermark.studies.mac_sessions.drawn import charts
from ciphermark.studies.mac_sessions.judged import STATEMENTS, claims
from ciphermark.studies.mac_sessions.others import aside
from ciphermark.studies.mac_sessions.tabulated import tables

__all__ = ["STATEMENTS", "aside", "charts", "claims", "tables"]
