"""Stored runs of kernels in several builds, which `ciphermark tune` measured before it left."""
