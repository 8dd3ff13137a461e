"""uv is led to no index over plain http and to none unverified, and what it was given to log in with is never said."""

import pytest

from compat.builder import indexes, uv
from compat.errors import CannotAct

LED_ASTRAY = [
    ("UV_DEFAULT_INDEX", "http://pypi.example/simple"),
    ("UV_INDEX_URL", "HTTP://pypi.example/simple"),
    ("UV_INDEX", "https://good.example/simple inner=http://pypi.example:8080/simple"),
    ("UV_EXTRA_INDEX_URL", "http://localhost:8000/simple http://pypi.example/simple"),
    ("UV_FIND_LINKS", "/wheels,http://pypi.example/wheels"),
    ("UV_PYTHON_INSTALL_MIRROR", "http://pypi.example/pythons"),
    ("UV_PYTHON_DOWNLOADS_JSON_URL", "http://pypi.example/pythons.json"),
    ("UV_INDEX_URL", "http://localhost.pypi.example/simple"),
    ("UV_INDEX_URL", "http://127.0.0.1.pypi.example/simple"),
    ("UV_INDEX_URL", "http://localhost@pypi.example/simple"),
    ("UV_INDEX_URL", "http://[::2]/simple"),
    ("UV_INDEX_URL", "http://[broken/simple"),
    ("UV_INSECURE_HOST", "pypi.example"),
    ("UV_INSECURE_HOST", "localhost:8443 pypi.example:8443"),
    ("UV_INSECURE_HOST", "https://pypi.example"),
    ("UV_INSECURE_HOST", "*"),
]


@pytest.mark.parametrize("name, value", LED_ASTRAY, ids=lambda value: value)
def test_without_verified_tls_nothing_is_asked(name, value):
    with pytest.raises(CannotAct) as refused:
        indexes.check({name: value})

    assert refused.value.message.startswith(f"{name} ")
    assert refused.value.hint


@pytest.mark.parametrize(
    "name, value",
    [
        ("UV_DEFAULT_INDEX", "https://pypi.example/simple"),
        ("UV_INDEX_URL", "http://localhost:8000/simple"),
        ("UV_INDEX_URL", "http://127.0.0.1:8000/simple"),
        ("UV_INDEX_URL", "http://127.8.8.8/simple"),
        ("UV_INDEX_URL", "http://[::1]:8000/simple"),
        ("UV_INDEX", "mine=https://pypi.example/http://"),
        ("UV_FIND_LINKS", "/wheels"),
        ("UV_INSECURE_HOST", "localhost:8443"),
        ("UV_INSECURE_HOST", ""),
        ("HTTP_PROXY", "http://proxy.example:3128"),
    ],
    ids=lambda value: value,
)
def test_verified_indexes_this_machine_and_proxies_are_fine(name, value):
    indexes.check({name: value})


SETTINGS = {
    "index-url": 'index-url = "http://pypi.example/simple"\n',
    "index": '[[index]]\nname = "a"\nurl = "http://pypi.example/simple"\n',
    "pip": "[pip]\nextra-index-url = ['http://pypi.example/simple']\n",
    "unverified": 'allow-insecure-host = ["pypi.example"]\n',
    "unverified lines": 'allow-insecure-host = [\n  "localhost:1",\n  "pypi.example:8443",\n]\n',
}


@pytest.mark.parametrize("case", SETTINGS)
def test_the_users_own_uv_toml_is_held_to_the_same(case, tmp_path, monkeypatch):
    path = tmp_path / "uv" / "uv.toml"
    path.parent.mkdir()
    path.write_text(SETTINGS[case])
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    with pytest.raises(CannotAct, match=r"uv\.toml"):
        uv.find()
    assert uv.find(offline=True)


def test_comments_and_proxies_in_it_are_not_indexes(tmp_path):
    path = tmp_path / "uv.toml"
    path.write_text(
        '# was http://pypi.example\nhttp-proxy = "http://proxy.example:3128"\nindex-url = "https://a.example/"\n'
    )

    indexes.check({}, path)


ASTRAY = {
    "index": "--index-url http://pypi.example/simple\ntensorflow\n",
    "short": "tensorflow\n-i http://pypi.example/simple\n",
    "continued": "--extra-index-url \\\n  http://pypi.example/simple\n",
    "links": "--find-links=http://pypi.example/wheels\n",
    "direct": "demo @ http://pypi.example/demo-1.0-py3-none-any.whl\n",
    "vcs": "demo @ git+http://pypi.example/demo.git\n",
    "included from there": "-r http://pypi.example/requirements.txt\n",
}


@pytest.mark.parametrize("case", ASTRAY)
@pytest.mark.parametrize(
    "way", ["itself", "-r inner.txt", "-rinner.txt", "--constraint=inner.txt", "-c 'inner.txt'  # why"]
)
def test_a_requirement_file_that_leads_to_plain_http_is_refused(case, way, tmp_path):
    (tmp_path / "inner.txt").write_text(ASTRAY[case])
    (tmp_path / "outer.txt").write_text(f"{way}\n-r outer.txt\n-r gone.txt\n")

    with pytest.raises(CannotAct, match=r"inner\.txt names http://pypi\.example"):
        indexes.check_requirements([tmp_path / ("inner.txt" if way == "itself" else "outer.txt")])


def test_the_check_stands_before_uv_resolves(tmp_path):
    (tmp_path / "requirements.txt").write_text(ASTRAY["index"])
    found = uv.find(offline=True)

    with pytest.raises(CannotAct, match="not https"):
        found.compile((tmp_path / "requirements.txt",), python="python", output=tmp_path / "lock.txt")


def test_a_requirement_file_may_speak_of_http(tmp_path):
    text = "# see http://pypi.example\ntensorflow  # http://pypi.example\ndemo @ https://a.example/http://b#sha256=0\n"
    (tmp_path / "requirements.txt").write_text(text)
    (tmp_path / "pyproject.toml").write_text('[project.urls]\nhomepage = "http://pypi.example"\n')

    indexes.check_requirements([tmp_path / "requirements.txt", tmp_path / "pyproject.toml"])


def test_the_refusal_does_not_say_the_password(monkeypatch):
    with pytest.raises(CannotAct) as refused:
        indexes.check({"UV_INDEX_URL": "http://ada:hunter2@pypi.example/simple?token=hunter3"})

    assert refused.value.message.startswith("UV_INDEX_URL names http://***@pypi.example/simple, which is not https")


def test_secrets_are_known_as_written_and_as_urls_spell_them():
    known = indexes.secrets(
        {
            "UV_INDEX_URL": "https://ada:hun%40ter2@pypi.example/simple",
            "UV_INDEX": "inner=https://onlyatoken@pypi.example/simple",
            "UV_INDEX_INNER_PASSWORD": "p/ss w?rd",
            "UV_INDEX_INNER_USERNAME": "ada-lovelace",
            "HTTPS_PROXY": "http://ada:proxypass@proxy.example",
            "UV_CACHE_DIR": "/cache",
        }
    )

    assert set(known) == {
        *("hun%40ter2", "hun@ter2", "onlyatoken", "p/ss w?rd", "p%2Fss%20w%3Frd", "proxypass"),
    }
    assert (
        indexes.masked("could not log in with p/ss w?rd nor p%2Fss%20w%3Frd", known)
        == "could not log in with *** nor ***"
    )


def test_a_secret_too_short_to_be_told_from_words_is_left_to_the_form_of_urls():
    known = indexes.secrets({"UV_INDEX_URL": "https://ada:in@pypi.example/simple"})

    assert (
        indexes.masked("installing from https://ada:in@pypi.example", known)
        == "installing from https://***@pypi.example"
    )
