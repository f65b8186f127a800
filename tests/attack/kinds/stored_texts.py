"""Stored runs whose texts steer terminals, are formulas or markup: outputs hold them as texts."""

from __future__ import annotations

from attack.attempt import Attempt
from attack.failure import Failure
from hostile_texts import CHECKS, FRAGMENTS, check_html, check_text, save_hostile

RUNS = ("run-1.21", "run-1.15-sessions", "run-1.16-packets", "run-1.14-simulation",
        "run-1.9-tuning", "run-1.15-tunnel", "run-1.21-imported")  # fmt: skip

COMMANDS = (
    *("show last", "show last --json", "list runs", "list machines", "list machines --json"),
    *(f"export last --format {it}" for it in ("csv", "json", "latex", "markdown")),
    *(
        "compare last:openssl last:rustcrypto",
        "advise --for hash --run last",
        "capacity --run last",
    ),
    *("model fit --data last", "protocol --data last", "machines matrix"),
    *("report last --output report.html", "site site", "machines show {machine}"),
    *(f"compare last last --all --format {it}" for it in ("markdown", "junit")),
    *("compare last last --all --json", "export last --plot list", "export last --plot cost"),
    *(f"advise --for ipsec --run last {it}" for it in ("--explain", "--json")),
    *("capacity --run last --for ipsec", "capacity --run last --json", "list providers"),
    "machines page {machine} --output machine.html",
)


def attempt(it: Attempt) -> None:
    it.replay()
    name, command = it.lots.choice(RUNS), it.lots.choice(COMMANDS)
    text = "".join(it.lots.choices(FRAGMENTS, k=it.lots.choice((1, 1, 2, 5))))
    in_names = it.lots.random() < 0.5
    it.say(f"{name}, names too: {in_names}, texts: {text!r}")

    # The name of the machine is hostile too, and known before only where it is not.
    words = [word.format(machine="epyc-9b45-kvm") for word in command.split()]

    def store() -> None:
        from ciphermark.record.run_folder import read_run
        from ciphermark.record.store import Store

        run = read_run(it.setting.golden / name)
        save_hostile(Store(it.runs), run, text, in_names=in_names)

    ended = it.run(*words, before=store)
    try:
        check_text(ended.messages.decode())
        if ended.output:
            kind = "svg" if words[-1] == "cost" else words[-1].removeprefix("--")
            CHECKS.get(kind, check_text)(ended.output.decode())
        for page in (*it.folder.glob("*.html"), *it.folder.glob("site/*.html")):
            check_html(page.read_text())
    except (AssertionError, ValueError) as error:
        raise Failure("other", f"{ended.command}: a stored text came through: {error}") from None
