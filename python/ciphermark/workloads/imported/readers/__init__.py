"""Readers of the output of other programs about the speed of cryptography, without trust in it."""
