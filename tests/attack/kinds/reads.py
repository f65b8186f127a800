"""Files of which one opening or reading fails, once or from then on: a sentence, and nothing that
was stored is changed."""

from __future__ import annotations

import errno

from attack import faults, stored
from attack.attempt import Attempt
from attack.failure import Failure
from attack.setting import FEW

RUNS = ("run-1.0", "run-1.8", "run-1.8-sessions", "run-1.8-imported", "run-1.21")

ERRORS = (errno.EIO, errno.EIO, errno.EACCES, errno.EMFILE, errno.ESTALE, errno.ENOMEM, 0)
"""How an opening or a reading fails; 0: a reading meets the end of the file."""

COMMANDS: tuple[tuple[str, ...], ...] = (
    *(("list", "runs"), ("show", "last"), ("show", "last", "--json"), ("machines", "matrix")),
    *(("export", "last"), ("compare", "last", "last"), ("capacity",), ("list", "machines")),
    *(("advise", "--for", "hash"), ("model", "fit", "--data", "last"), ("list", "algorithms")),
    *(("import", "imported.txt"), ("survey", "--plan", "plan.toml", "--dry-run"), ("survey", *FEW)),
    ("capacity", "--profile", "profile.toml"),
)  # fmt: skip


def attempt(it: Attempt) -> None:
    if not faults.are_loaded():
        it.skip("reads can be made to fail only where there is a C compiler")
        return
    it.replay()
    folders = it.store(*it.lots.sample(RUNS, 2))
    package = it.setting.package / "ciphermark"
    for name, source in (
        ("imported.txt", it.setting.tests / "imported" / "openssl-3.0.txt"),
        ("plan.toml", package / "plan" / "defaults" / "survey-quick.toml"),
        ("profile.toml", package / "profiles" / "imix.toml"),
    ):
        (it.folder / name).write_bytes(source.read_bytes())
    if it.lots.random() < 0.4:
        it.run("machines", "matrix")
    before = {folder: stored.contents(folder) for folder in folders}
    words = it.lots.choice(COMMANDS)
    number, error = int(2 ** it.lots.uniform(0, 7)), it.lots.choice(ERRORS)
    lasting = it.lots.random() < 0.3
    name = errno.errorcode.get(error, "an end")
    it.say(f"{' '.join(words)}: {name} at number {number}, lasting: {lasting}")
    begun = it.start(*words, before=lambda: faults.fail(it.folder, number, error, lasting))
    ended = begun.end(15)
    ended.check()
    for folder, files in before.items():
        now = stored.contents(folder)
        if {name: now.get(name) for name in files} != files:
            raise Failure("lost", f"{ended.command}: changed the stored run {folder.name}")
    if words[0] == "survey" and ended.code == 0 and "--dry-run" not in words:
        stored.expect_kept(it, ended, 1 + len(folders))
