"""The plan of a study that somebody adds."""

from __future__ import annotations

PLAN = """
title = "Is SHA-256 fast?"
source = "N. N., On Hashing, 2001"
workload = "single"
algorithms = ["sha256"]
operations = ["digest"]
sizes = [1024]
precision = 0.01
budget_s = 5
max_cases = 10
"""
