"""The workflows of docs/ci.md: they are YAML, and their commands compare two builds as they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

PAGE = Path(__file__).parents[1] / "docs" / "ci.md"


@pytest.fixture(scope="module")
def workflows() -> list[Any]:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [yaml.safe_load(block) for block in blocks]


def steps_of(workflow: Any) -> dict[str, str]:
    return {it["name"]: it["run"] for it in workflow["jobs"]["speed"]["steps"] if "run" in it}


def test_the_workflow_of_github_has_what_its_steps_need(workflows: list[Any]) -> None:
    github, _ = workflows
    taken = (it.get("with", {}).get("path") for it in github["jobs"]["speed"]["steps"])
    paths = [path for path in taken if path][:3]
    assert paths == ["new", "old", "ciphermark"]
    steps = steps_of(github)
    assert list(steps) == ["Install ciphermark", "Build both", "Measure", "Show"]
    assert "|| true" not in steps["Measure"], "its exit code is what fails the check"


def test_both_forges_type_the_same(workflows: list[Any]) -> None:
    github, gitlab = workflows
    lines = [line.strip() for run in steps_of(github).values() for line in run.splitlines()]
    for line in (*gitlab["speed"]["script"], *gitlab["speed"]["after_script"]):
        if line.startswith("ciphermark"):
            assert line in lines


def test_commands_take_their_options(workflows: list[Any]) -> None:
    import typer

    from ciphermark.cli.main import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # of a group
    steps = "\n".join(steps_of(workflows[0]).values())
    typed = re.findall(r"^ciphermark (\w+) (.*?)(?: >>| \|\||$)", steps, re.MULTILINE)
    assert {name for name, _ in typed} == {"survey", "compare"}
    for name, options in typed:
        commands[name].make_context(name, shlex.split(options))
