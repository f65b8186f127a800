"""Stored runs of kernels in several builds, measured by the former command `ciphermark tune`."""
