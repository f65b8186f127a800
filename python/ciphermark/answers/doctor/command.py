"""`ciphermark doctor`."""

from __future__ import annotations

from ciphermark.command.options import EngineOption, JsonOption


def doctor(json: JsonOption = False, engine: EngineOption = None) -> None:
    """Say what makes this machine unfit for measuring.

    Each finding comes with its effect on the figures and with the command to type. An unfit machine
    is no failure: the exit code is 0 whenever the machine could be examined.
    """
    from ciphermark.answers.doctor.show import print_doctor
    from ciphermark.command.output import print_answer
    from ciphermark.run.doctor import examine, overall, when_figures_hold
    from ciphermark.run.engine import Engine

    measured = Engine(engine)
    environment, later = measured.environment(), measured.environment()
    findings = examine(environment, later)
    diagnosis = overall(findings)
    document = {"environment": environment, "verdict": diagnosis.verdict, "findings": findings}
    print_answer(
        json,
        lambda: document | {"when_figures_hold": when_figures_hold(findings)},
        lambda console: print_doctor(console, environment, findings, diagnosis),
    )
