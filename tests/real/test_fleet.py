"""Many machines under the real Ansible: hosts of this machine with homes of their own, from the playbook to the table."""

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.real.conftest import ENV, interpreter, tfcompat, uv
from tests.smoke.environments import environment

ROOT = Path(__file__).parents[2]
PLAYBOOK = ROOT / "scripts" / "fleet" / "playbook.yml"
PYTHON = "3.12"
HOSTS = ("healthy", "no-tensorflow", "no-interpreter", "no-wheels", "down")
pytestmark = [pytest.mark.real, pytest.mark.full, pytest.mark.network]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Ansible, a wheel of this checkout, and an inventory of hosts that differ; removed at the end."""
    folder = tmp_path_factory.mktemp("lab")
    uv("venv", "--python", interpreter(PYTHON), folder / "ansible")
    uv("pip", "install", "--python", folder / "ansible/bin/python", "ansible-core>=2.17")
    uv("build", "--wheel", "--out-dir", folder, ROOT)
    uv("venv", "--python", interpreter(PYTHON), folder / "bare")
    inventory(folder, next(folder.glob("*.whl")))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def inventory(folder, wheel):
    """One host takes Python's own venv and pip, as without uv; the others take uv, with this user's cache."""
    from uv import find_uv_bin

    cache = subprocess.run([find_uv_bin(), "cache", "dir"], check=True, env=ENV, capture_output=True, text=True)
    hosts = {}
    for name in HOSTS:
        home = folder / "homes" / name
        home.mkdir(parents=True)
        private = {"HOME": str(home), "UV_CACHE_DIR": cache.stdout.strip()}
        hosts[name] = {"tfcompat_environment": private, "tfcompat_home": str(home / "tool home")}
        hosts[name] |= {"tfcompat_uv": find_uv_bin(), "tfcompat_tool_python": interpreter(PYTHON)}
    hosts["healthy"]["tfcompat_python"] = environment("keras3", folder)
    hosts["no-tensorflow"] |= {"tfcompat_venv": str(folder / "bare"), "tfcompat_uv": ""}
    hosts["no-interpreter"]["tfcompat_venv"] = str(folder / "nowhere")
    hosts["no-wheels"]["tfcompat_wheels"] = str(folder / "homes" / "no-wheels")
    hosts["down"] |= {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}
    all_hosts = {
        "ansible_connection": "local",
        "ansible_python_interpreter": interpreter(PYTHON),
        "tfcompat_smoke": "none",
        "tfcompat_source": str(wheel),
    }
    (folder / "inventory.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": all_hosts}}))


def play(folder, *words):
    """Run the playbook; return the finished process and what it counted for each host."""
    argv = [folder / "ansible/bin/ansible-playbook", "-i", folder / "inventory.yml", PLAYBOOK, *words]
    env = ENV | {"ANSIBLE_HOME": str(folder / "ansible-home"), "ANSIBLE_NOCOLOR": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)
    lines = re.findall(r"^(\S+)\s+: (ok=.*)$", done.stdout, re.MULTILINE)
    return done, {name: {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line)} for name, line in lines}


@pytest.fixture(scope="module")
def gathered(lab):
    """The lab after the playbook: checked, then run."""
    checked, _ = play(lab, "--check", "--limit", "healthy")
    assert checked.returncode == 0, checked.stdout
    assert not (lab / "reports").exists()
    assert [list((lab / "homes" / name).iterdir()) for name in HOSTS] == [[]] * len(HOSTS)
    done, recap = play(lab)
    assert done.returncode == 0, done.stdout
    assert set(recap) == set(HOSTS)
    return lab


def report(lab, name):
    return json.loads((lab / "reports" / f"{name}.json").read_text("utf-8"))


def test_the_playbook_is_one_that_ansible_reads(lab):
    done, _ = play(lab, "--syntax-check")

    assert done.returncode == 0, done.stderr


def test_only_modules_that_come_with_ansible_core_and_no_shell():
    text = PLAYBOOK.read_text("utf-8")
    modules = set(re.findall(r"^ +([a-z_]+\.[a-z_.]+):", text, re.MULTILINE))

    assert modules
    assert all(name.startswith("ansible.builtin.") for name in modules)
    assert not modules & {"ansible.builtin.shell", "ansible.builtin.raw", "ansible.builtin.script"}
    assert text.count("ansible.builtin.command:") == text.count("argv:")


def test_each_host_leaves_a_report_with_doctors_exit_code(gathered):
    assert sorted(path.name for path in (gathered / "reports").glob("*.json")) == sorted(
        f"{name}.json" for name in HOSTS
    )
    assert report(gathered, "healthy")["ok"] is True
    assert {name: report(gathered, name).get("exit_code") for name in HOSTS} == {
        "healthy": 0,
        "no-tensorflow": 1,
        "no-interpreter": 3,
        "no-wheels": 1,
        "down": None,
    }


def test_a_host_that_could_not_be_looked_at_says_why(gathered):
    assert "there is no such folder" in report(gathered, "no-interpreter")["not_seen"]
    assert report(gathered, "no-wheels")["not_seen"].startswith("Install tfcompat: ")  # the index was not asked
    assert report(gathered, "down")["not_seen"].startswith("not reached: ")


def test_what_was_gathered_is_for_its_owner_alone(gathered):
    modes = {stat.S_IMODE(os.stat(path).st_mode) for path in (gathered / "reports").rglob("*.json")}  # noqa: PTH116

    assert modes == {0o600}
    assert stat.S_IMODE((gathered / "reports").stat().st_mode) == 0o700


def test_the_table_of_what_was_gathered(gathered):
    done = tfcompat("fleet", gathered / "reports", "--format", "json")
    table = json.loads(done.stdout)

    assert (done.returncode, done.stderr) == (1, "")
    assert {one["name"]: (one["health"], one["exit_code"]) for one in table["machines"]} == {
        "healthy": ("healthy", 0),
        "no-tensorflow": ("errors", 1),
        "no-interpreter": ("unseen", 3),
        "no-wheels": ("unseen", 1),
        "down": ("unseen", None),
    }
    assert [(row["id"], row["machines"]) for row in table["causes"]] == [("TF301", ["no-tensorflow"])]
    assert [(row["remedy"]["commands"], row["last"]) for row in table["fixes"]] == [
        (["tfcompat fix --create-venv"], ["no-tensorflow"])
    ]
    assert {"name": "tensorflow-cpu 2.18.1", "machines": 1} in table["kinds"]["tensorflow"]


def test_the_captures_can_be_judged_again_without_the_machines(gathered):
    done = tfcompat("fleet", gathered / "reports" / "captures", "--format", "json")

    assert {one["name"]: one["health"] for one in json.loads(done.stdout)["machines"]} == {
        "healthy": "healthy",
        "no-tensorflow": "errors",
    }


@pytest.mark.full
def test_a_fix_that_is_asked_for_is_made_once_and_its_environment_is_what_is_reported(gathered):
    new = gathered / "homes" / "no-tensorflow" / "new"
    words = ("--limit", "no-tensorflow", "-e", json.dumps({"tfcompat_fix": True, "tfcompat_fix_directory": str(new)}))
    done, first = play(gathered, *words)
    assert done.returncode == 0, done.stdout
    made = report(gathered, "no-tensorflow")
    _, second = play(gathered, *words)
    again = report(gathered, "no-tensorflow")

    assert (made["exit_code"], made["fix"]["exit_code"], made["facts"]["environment"]["path"]) == (0, 0, str(new))
    assert (again["exit_code"], again["fix"], again["facts"]["environment"]["path"]) == (0, None, str(new))
    assert (first["no-tensorflow"]["changed"], second["no-tensorflow"]["changed"]) == (1, 0)


def test_a_second_run_changes_nothing_and_no_old_report_passes_for_a_new_one(gathered):
    (gathered / "bare").rename(gathered / "gone")
    done, recap = play(gathered, "--limit", "no-tensorflow")

    assert done.returncode == 0, done.stdout
    assert {name: counted["changed"] for name, counted in recap.items()} == {"no-tensorflow": 0}
    assert "not_seen" in report(gathered, "no-tensorflow")
    assert report(gathered, "healthy")["ok"] is True
