"""Small runner of a forge's steps: the shell commands of an action of GitHub or a job of GitLab."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")


@dataclass
class Ended:
    """Exit code of the first step that failed, the names of steps that ran, and their output."""

    code: int = 0
    steps: list[str] = field(default_factory=list)
    output: str = ""
    values: dict[str, str] = field(default_factory=dict)
    """Outputs of steps, such as `steps.measure.outputs.code`."""


def run_action(
    action: Any,
    inputs: Mapping[str, str],
    folder: Path,
    environment: Mapping[str, str],
    facts: Mapping[str, str],
) -> Ended:
    """Runs each `run` of a composite action as GitHub does: by bash, which ends at an error.

    `facts` are other values of expressions. Raises AssertionError where an input is missing, or a
    step has something that this runner lacks.
    """
    given = {name: it["default"] for name, it in action["inputs"].items() if "default" in it}
    given |= inputs
    assert set(given) == set(action["inputs"]), "each input has a default or is given"
    ended = Ended(values={f"inputs.{name}": value for name, value in given.items()} | dict(facts))
    files = {name: folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for step in action["runs"]["steps"]:
        assert set(step) <= {"name", "id", "shell", "env", "run"}, step
        assert "${{" not in step["run"], "what others write is no part of a script"
        files["GITHUB_OUTPUT"].write_text("")
        variables = {name: filled(text, ended.values) for name, text in step.get("env", {}).items()}
        variables |= {name: str(path) for name, path in files.items()}
        variables["RUNNER_TEMP"] = str(folder)
        ran = shell(step["run"], folder, environment | variables)
        ended.steps.append(step["name"])
        ended.output += ran.stdout + ran.stderr
        for line in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = line.partition("=")
            ended.values[f"steps.{step['id']}.outputs.{name}"] = value
        if ran.returncode:
            ended.code = ran.returncode
            break
    return ended


def run_job(job: Any, folder: Path, environment: Mapping[str, str]) -> Ended:
    """Runs the script of a job as GitLab does: all lines in one shell, which ends at an error."""
    variables = dict(environment)
    for name, text in job["variables"].items():
        variables.setdefault(name, re.sub(r"\$(\w+)", lambda it: environment[it[1]], text))
    ran = shell("\n".join(job["script"]), folder, variables)
    return Ended(ran.returncode, ["script"], ran.stdout + ran.stderr)


def filled(text: str, values: Mapping[str, str]) -> str:
    return EXPRESSION.sub(lambda found: values[found[1]], text)


def shell(script: str, folder: Path, variables: Mapping[str, str]) -> Any:
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
