"""What stays of a build, in the environment and beside it, holds no password of an address among the requirements."""

from compat.builder.apply import carry_out
from compat.builder.outcome import Built
from compat.builder.resolving import Wanted
from tests.builder.loopback import serving
from tests.builder.test_apply import candidate, job, plan
from tests.builder.tiny_index import wheel

SECRET = "hunter2-s3cret"


def test_what_stays_of_a_build_holds_no_password(tmp_path, monkeypatch):
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name in ("pip", "demo"):
        wheel(wheels, name, "1.0")
    content, said = wheel(tmp_path, "extra", "1.0").read_bytes(), []
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    with serving(wheels) as index:
        index.others["/mine/extra-1.0-py3-none-any.whl"] = content
        for name, value in index.environment().items():
            monkeypatch.setenv(name, value)
        wanted = tmp_path / "wanted.txt"
        address = index.root.replace("://", f"://ada:{SECRET}@")
        wanted.write_text(f"extra @ {address}/mine/extra-1.0-py3-none-any.whl\n")
        work = job(tmp_path, wanted=Wanted(files=(wanted,)), said=said)
        work.uv.offline = False
        outcome = carry_out(plan(candidate("demo==1.0")), work)

    assert isinstance(outcome, Built), said
    files = [path for path in (tmp_path / "place").rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(files) > 10
    assert not [str(path) for path in files if SECRET.encode() in path.read_bytes()]
    assert SECRET not in "\n".join(said)
