"""What decoding the JSON of a file or of another program may raise, whatever is in it."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)
"""Among them `UnicodeDecodeError`, a `ValueError`: msgspec raises it for texts that are none, and
`RecursionError` for lists within lists without end."""
