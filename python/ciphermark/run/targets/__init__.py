"""Kernels on processors other than this one: compiled by cross compilers, run by simulators.

`target` says what there is to compile for, `toolchain` compiles and links, `simulator` runs an
image. On these pieces stands `verification`: the vectors, asked of each group of kernels.
"""
