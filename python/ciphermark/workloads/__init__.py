"""Workloads, a package for each, which `ciphermark.workload` finds by name."""
