"""Whether network namespaces can be made here."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest


def can_unshare() -> bool:
    own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    tools = all(map(shutil.which, ("unshare", "ip")))
    return (
        tools
        and not subprocess.run(
            ["unshare", *own, "--net", "--mount", "--pid", "--fork", "true"], capture_output=True
        ).returncode
    )


needs_namespaces = pytest.mark.skipif(
    not can_unshare(), reason="no network namespaces can be made here, or ip is missing"
)
