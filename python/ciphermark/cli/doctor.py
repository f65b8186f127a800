"""`ciphermark doctor`."""

from __future__ import annotations

from ciphermark.cli.options import EngineOption, JsonOption


def doctor(json: JsonOption = False, engine: EngineOption = None) -> None:
    """Say what makes this machine unfit for measuring.

    Each finding comes with what it does to the numbers and what to type. An unfit machine is no
    failure: the exit code is 0 whenever the machine could be examined.
    """
    from ciphermark.analyse.doctor import examine, overall
    from ciphermark.measure.engine import Engine

    measured = Engine(engine)
    environment, later = measured.environment(), measured.environment()
    findings = examine(environment, later)
    diagnosis = overall(findings)
    if json:
        _print_json(
            {"environment": environment, "verdict": diagnosis.verdict, "findings": findings}
        )
    else:
        from rich.console import Console

        from ciphermark.show.doctor import render

        Console().print(render(environment, findings, diagnosis))


def _print_json(document: object) -> None:
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
