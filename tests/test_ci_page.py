"""Action of GitHub and template of GitLab in ci/, and the page about them: checked, and run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge_steps import Ended, run_action, run_job

ROOT = Path(__file__).parents[1]
ACTION = ROOT / "ci" / "action.yml"
TEMPLATE = ROOT / "ci" / "gitlab.yml"
PAGE = ROOT / "docs" / "ci.md"
BIN = Path(sys.executable).parent
TOKEN = "token-of-a-test"
FACTS = {"github.event.pull_request.number": "7"}
FORGE = {"GITHUB_REPOSITORY": "owner/name", "CI_API_V4_URL": "api:/v4", "CI_PROJECT_ID": "3"} | {
    "CI_MERGE_REQUEST_IID": "7"
}

CIPHERMARK = """\
#!/bin/bash
printf '%s\\n' "$*" >> "$TOLD"
case "$1 $*" in
survey*) exit "$SURVEY" ;;
*markdown*) echo '| case | ratio |' ;;
*junit*) echo '<testsuites/>' > speed.xml ;;
esac
exit "$SURVEY"
"""
"""Stand-in that ends as a survey of that verdict does, and notes its arguments."""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A runner's folder, whose Python makes environments of stand-ins; pip, gh, curl note calls."""
    programs = tmp_path / "programs"
    programs.mkdir()
    note = '#!/bin/bash\nprintf "%s %s\\n" "${0##*/}" "$*" >> "$TOLD"\n'
    make = 'for name in pip ciphermark; do cp "$PROGRAMS/$name" "$3/bin/"; done\n'
    texts = {name: note for name in ("gh", "curl", "pip")}
    texts |= {"ciphermark": CIPHERMARK, "python3": f'#!/bin/bash\nmkdir -p "$3/bin"\n{make}'}
    for name, text in texts.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("PROGRAMS", str(programs))
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    return tmp_path


def run_on(
    forge: str, folder: Path, old: str, new: str, token: str = "", **variables: str
) -> Ended:
    """Runs the steps of a forge for two builds."""
    options = variables.pop("options", "--budget 2m --sizes 64,1500")
    if forge == "github":
        inputs = {"old": old, "new": new, "wheel": "w.whl", "options": options, "token": token}
        return run_action(
            yaml.safe_load(ACTION.read_text()), inputs, folder, FORGE | variables, FACTS
        )
    names = {"OLD": old, "NEW": new, "WHEEL": "w.whl", "OPTIONS": options, "TOKEN": token}
    environment = {f"CIPHERMARK_{name}": value for name, value in names.items()} | FORGE | variables
    environment["CI_PROJECT_DIR"] = str(folder)
    return run_job(yaml.safe_load(TEMPLATE.read_text())[".ciphermark"], folder, environment)


FORGES = pytest.mark.parametrize("forge", ["github", "gitlab"])


@FORGES
@pytest.mark.parametrize("code", [0, 1, 2])
def test_steps_end_with_the_exit_code_of_the_survey(forge: str, code: int, machine: Path) -> None:
    ended = run_on(forge, machine, "./old.so", "./new.so", SURVEY=str(code))
    assert ended.code == code, ended.output
    told = (machine / "told").read_text().splitlines()
    assert told[0] == "pip install --quiet w.whl"
    assert told[1] == "survey --ab ./old.so ./new.so --threshold 5% --budget 2m --sizes 64,1500"
    compare = "compare last:kernel@new last:kernel@old --threshold 5% --format markdown"
    assert told[2] == compare
    assert (machine / "speed.md").read_text() == "| case | ratio |\n"
    assert not [line for line in told if line.startswith(("gh", "curl"))], "no token, no comment"
    if forge == "github":
        assert (machine / "github_step_summary").read_text() == "| case | ratio |\n"
        assert ended.steps == ["Install", "Measure", "Comment", "Verdict"]
    else:
        assert (machine / "speed.xml").read_text() == "<testsuites/>\n"


@FORGES
def test_a_token_writes_the_table_as_a_comment(forge: str, machine: Path) -> None:
    ended = run_on(forge, machine, "openssl=a", "openssl=b", token=TOKEN, SURVEY="1")
    assert ended.code == 1
    told = (machine / "told").read_text()
    assert "compare last:openssl@new last:openssl@old " in told
    (written,) = [line for line in told.splitlines() if line.startswith(("gh", "curl"))]
    if forge == "github":
        assert f"pr comment 7 --repo owner/name --body-file {machine}/speed.md" in written
        assert TOKEN not in written, "it is in the environment alone"
    else:
        assert written.endswith("body@speed.md api:/v4/projects/3/merge_requests/7/notes")


@FORGES
def test_a_comment_that_cannot_be_written_fails_nothing(forge: str, machine: Path) -> None:
    for name in ("gh", "curl"):
        (machine / "programs" / name).write_text("#!/bin/bash\nexit 4\n")
    ended = run_on(forge, machine, "a", "b", token=TOKEN, SURVEY="0")
    assert ended.code == 0
    assert "could not be written" in ended.output


@FORGES
def test_hostile_inputs_are_arguments_and_no_commands(forge: str, machine: Path) -> None:
    hostile = "$(touch stolen)`touch stolen`;touch stolen"
    run_on(forge, machine, hostile, hostile, options="--sizes $(touch stolen)", SURVEY="0")
    assert not (machine / "stolen").exists()
    assert f"survey --ab {hostile} {hostile} " in (machine / "told").read_text()


@pytest.mark.engine
@FORGES
def test_steps_measure_two_builds(forge: str, machine: Path) -> None:
    """The command itself, on the kernel of docs/kernels.md; whichever verdict it finds."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    program = f'#!/bin/bash\nexec "{BIN}/ciphermark" "$@"\n'
    (machine / "programs" / "ciphermark").write_text(program)
    blocks = re.findall(r"^```c\n(.*?)^```", (ROOT / "docs/kernels.md").read_text(), re.S | re.M)
    (machine / "mine.c").write_text(max(blocks, key=len))
    include = ROOT / "kernels" / "include"
    for side in ("old", "new"):
        line = ["cc", "-O2", "-shared", "-fPIC", "-I", include, "-o", f"{side}.so", "mine.c"]
        subprocess.run(line, cwd=machine, check=True, timeout=60)
    options = "--sizes 64 --operations mac --budget 2 --precision 10%"
    ended = run_on(forge, machine, "./old.so", "./new.so", options=options)
    assert ended.code in (0, 1), ended.output
    assert "kernel@new" in (machine / "speed.md").read_text()
    if forge == "github":
        assert ended.values["steps.measure.outputs.code"] == str(ended.code)


def workflow() -> Any:
    block, _ = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return block


def test_the_page_is_short() -> None:
    assert len(PAGE.read_text("utf-8").splitlines()) <= 60


def test_the_workflow_of_the_page_gives_inputs_that_the_action_has() -> None:
    steps = yaml.safe_load(workflow())["jobs"]["speed"]["steps"]
    (given,) = [it["with"] for it in steps if it.get("uses", "").endswith("/ci")]
    inputs = yaml.safe_load(ACTION.read_text())["inputs"]
    required = {name for name, it in inputs.items() if it.get("required")}
    assert required <= set(given) <= set(inputs)


def test_the_job_of_the_page_sets_variables_that_the_template_reads() -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    job = yaml.safe_load(blocks[1])["speed"]
    template = TEMPLATE.read_text()
    assert job["extends"] in yaml.safe_load(template)
    assert [name for name in job["variables"] if f"${name}" not in template] == []


def checked(*command: str | Path, folder: Path = ROOT) -> str:
    """Output of a tool that must find nothing; skips where the tool is absent."""
    program = shutil.which(str(command[0]), path=f"{BIN}:{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"no {command[0]}")
    ended = subprocess.run(
        [program, *map(str, command[1:])], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    ("schema", "path"),
    [("github-actions", ACTION), ("gitlab-ci", TEMPLATE)],
    ids=["github", "gitlab"],
)
def test_files_have_the_form_of_their_forge(schema: str, path: Path) -> None:
    checked("check-jsonschema", "--builtin-schema", f"vendor.{schema}", path)


def test_zizmor_finds_nothing_in_action_and_workflow(tmp_path: Path) -> None:
    path = tmp_path / ".github" / "workflows" / "speed.yml"
    path.parent.mkdir(parents=True)
    path.write_text(workflow())
    # The folder ./ciphermark is the checkout of another repository than the workflow's.
    config = tmp_path / "zizmor.yml"
    config.write_text("rules: {self-repository: {disable: true}}")
    checked("zizmor", "--offline", "--pedantic", "--quiet", "--config", config, ACTION, path)


def test_actionlint_finds_nothing_in_the_workflow(tmp_path: Path) -> None:
    (tmp_path / "speed.yml").write_text(workflow())
    assert checked("actionlint", "-no-color", tmp_path / "speed.yml") == ""


def test_shellcheck_finds_nothing_in_the_steps(tmp_path: Path) -> None:
    steps = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
    scripts = [step["run"] for step in steps]
    scripts.append("\n".join(yaml.safe_load(TEMPLATE.read_text())[".ciphermark"]["script"]))
    for number, text in enumerate(scripts):
        path = tmp_path / f"{number}.sh"
        path.write_text(f"#!/bin/bash\n{text}\n")
        checked("shellcheck", path)
