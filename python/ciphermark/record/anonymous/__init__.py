"""Runs without what tells whose they are, for sharing.

Nothing is searched for and taken out: every text of a run is left out unless its place is known
and the text is one that may stand there (`words`). What nobody thought of is thereby left out too.
"""
