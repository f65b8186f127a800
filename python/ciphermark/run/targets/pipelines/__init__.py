"""Models of cycles: what the exact instructions of a trace cost a processor that issues one at a
time and in order.

`arm` and `riscv` decode instructions to what all models know of one (`instruction`). Each core
(`core`, listed in `cores`) has a file that says when its results are there and what a branch costs,
`scoreboard` lets instructions wait for each other, and `pipeline` adds up a trace.
"""
