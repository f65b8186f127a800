"""The instruction stream of an RV32I, from which operations are counted."""
