"""Published studies that can be run again here.

A study is a plan `NAME.toml`, a module `NAME.py` (hyphens as underscores) and the paper's figures
in `published/`. Nothing else has to be touched to add one: `registry` finds them by the plan, and
`gateway` is the one to copy.
"""
