"""Kernels under compilers and flags: `ciphermark tune`."""
