"""The `sensor` study: five functions on processors from 8 to 32 bits, simulated.

The paper measured them on six processors, and derived a model of processors that were not measured.
Here the same functions, what it left for later, and what a node would use now run on simulators;
what the paper says is asked of its own table and of these.
"""

from ciphermark.studies.sensor.cases import simulated
from ciphermark.studies.sensor.drawn import charts
from ciphermark.studies.sensor.judged import STATEMENTS, claims
from ciphermark.studies.sensor.tabulated import tables

__all__ = ["STATEMENTS", "charts", "claims", "simulated", "tables"]
