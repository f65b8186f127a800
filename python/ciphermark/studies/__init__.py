"""Published studies that can be run again here.

A study is a plan `NAME.toml`, a package `NAME` (hyphens as underscores) and the paper's figures in
`published/`. Nothing else has to be touched to add one: `registry` finds them by the plan. In the
package are `statements.toml` (what the paper says), `paper.py` (what it measured and printed),
`evidence.py` (which rows stand for that), `judges.py`, `tables.py` and `charts.py`; `umac` is the
one to copy.
"""
