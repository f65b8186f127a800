"""Makes a golden run of the present format, from synthetic samples.

Old formats must stay readable, so a golden run is never made anew: when the format changes, this
makes one more. `PYTHONPATH=tests python tests/golden/make_run.py`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from ciphermark.analyse.rows import rows, rows_table
from ciphermark.record import contract
from ciphermark.record.layout import FORMAT_MAJOR, FORMAT_MINOR
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from synthetic import synthetic_cases, synthetic_run

FOLDER = Path(__file__).with_name(f"run-{FORMAT_MAJOR}.{FORMAT_MINOR}")


def golden_run() -> Run:
    """A run in which every kind of thing that is stored occurs."""
    cases = synthetic_cases(["aes-128-gcm", "sha256", "hmac-sha256"], sizes=(64,))
    cases[0].switches = {"OPENSSL_ia32cap": "~0x200000200000000"}
    cases[2].pattern, cases[2].chunk_bytes = "incremental", 16
    cases[4].pattern, cases[4].chunk_bytes, cases[4].buffers = "incremental", 16, "repeated"
    cases[5].keys, cases[5].buffers = 1000, "stream"
    cases[3].lanes = cases[3].keys = 2
    cases[7].message_bytes, cases[7].profile, cases[7].lengths = None, "imix", [40, 1500]
    crash = contract.Failure(kind="crash", message="the worker process died", signal="SIGSEGV")
    run = synthetic_run(cases, rounds=6, seed=0x7F3A, failed={3: crash})
    ran = run.cases[2].implementation
    ran.backend, ran.backend_evidence = "aesni-clmul-avx", "inferred"
    run.cases[4].implementation.takes_repeats = True
    ran.features, ran.patterns = ["aes", "pclmulqdq"], ["reused-key", "incremental"]
    run.warnings = [contract.Warning(kind="steal", message="3 % of the time was stolen", case=1)]
    return run


def main() -> None:
    if FOLDER.exists():
        raise SystemExit(f"{FOLDER} is there and must stay as it is")
    run = golden_run()
    table = rows_table(rows(run))
    with TemporaryDirectory() as runs:
        shutil.copytree(Store(Path(runs)).save(run, table), FOLDER)
    expected = {
        "context": msgspec.to_builtins(run.context),
        "cases": msgspec.to_builtins(run.cases),
        "warnings": msgspec.to_builtins(run.warnings),
        "samples": run.samples.slice(0, 12).to_pylist(),
        "sample_count": run.samples.num_rows,
        "rows": table.to_pylist(maps_as_pydicts="strict"),
    }
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
