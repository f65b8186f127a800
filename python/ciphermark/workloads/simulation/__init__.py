"""Kernels on simulated processors: `ciphermark simulate`."""
