"""Embedders: a real server over a socket, real static vectors from disk, a user's function."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from factmark.errors import EndpointError, InputError
from factmark.http.retries import RetryPolicy
from factmark.passages.embedders import open_search, unit_vectors
from factmark.passages.embedders_http import HttpEmbedder
from servers.embedding_server import embedding_server, vector
from tiny_vectors import static_model

AT_ONCE = RetryPolicy(attempts=4, first_wait=0.0, longest_wait=0.0)


def embedder(base_url: str, **more: str) -> HttpEmbedder:
    named = HttpEmbedder.named("openai:tiny", base_url=base_url, **more)
    return HttpEmbedder(named.spec, faults=AT_ONCE, limits=AT_ONCE)


def expected(texts: list[str], dimensions: int = 32) -> np.ndarray:
    made = np.array([vector(text, dimensions) for text in texts])
    return made / np.linalg.norm(made, axis=1, keepdims=True)


async def test_vectors_come_in_the_order_of_the_texts() -> None:
    texts = [f"text number {n} with words{n % 7}" for n in range(300)]
    with embedding_server(shuffled=True) as server:
        asked = embedder(server.base_url)
        found = await unit_vectors(asked, texts)
        await asked.close()
        assert sorted(server.state.texts) == sorted(texts)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected(texts), atol=1e-6)
    assert asked.spend.calls == 5  # 64 texts each
    assert asked.spend.input_tokens == sum(len(text) // 4 + 1 for text in texts)
    assert asked.spend.cost == 0.0  # a server on this machine costs nothing


async def test_long_texts_go_in_small_requests() -> None:
    with embedding_server(usage=False) as server:
        asked = embedder(server.base_url)
        await unit_vectors(asked, ["word " * 15_000] * 4)
        await asked.close()
        assert server.state.requests == 4
    assert asked.spend.estimated_usage


@pytest.mark.parametrize("faults", [["429", "500"], ["cut"]])
async def test_failures_that_pass_are_tried_again(faults: list[str]) -> None:
    with embedding_server(faults=faults.copy()) as server:
        asked = embedder(server.base_url)
        found = await unit_vectors(asked, ["one"])
        await asked.close()
        assert server.state.requests == len(faults) + 1
    np.testing.assert_allclose(found, expected(["one"]), atol=1e-6)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("fewer", "another kind"),
        ("index", "another kind"),
        ("dimension", "another kind"),  # a table with rows of two lengths
        ("nan", "not finite"),
        ("zero", "zero vector"),
    ],
)
async def test_what_is_no_table_of_vectors_is_refused(wrong: str, said: str) -> None:
    with embedding_server(wrong=wrong) as server:
        asked = embedder(server.base_url)
        with pytest.raises(EndpointError, match=said):
            await unit_vectors(asked, ["one", "two", "three"])
        await asked.close()


async def test_vectors_of_another_length_than_the_index_has() -> None:
    with embedding_server(dimensions=16) as server:
        asked = embedder(server.base_url)
        with pytest.raises(EndpointError, match="16 dimensions; the others have 32"):
            await unit_vectors(asked, ["one"], dimensions=32)
        await asked.close()


async def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-right-0123456789")
    with embedding_server(key="sk-right-0123456789") as server:
        asked = embedder(server.base_url, key_env="MY_KEY")
        await asked.embed(["one"])
        monkeypatch.setenv("MY_KEY", "sk-wrong-0123456789")
        wrong = embedder(server.base_url, key_env="MY_KEY")
        with pytest.raises(EndpointError, match="401") as caught:
            await wrong.embed(["one"])
        await asked.close()
        await wrong.close()
    assert "sk-wrong" not in str(caught.value)
    assert "sk-" not in asked.identity + repr(asked.spec)


def test_a_provider_without_its_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        open_search("openai:text-embedding-3-small")


def test_an_embedder_is_identified_by_model_and_server() -> None:
    full = HttpEmbedder.named("openai:tiny", base_url="http://localhost:1/v1/embeddings/")
    assert full.spec.embeds
    assert str(full.spec.url) == "http://localhost:1/v1/embeddings"
    assert full.identity == "openai:tiny@http://localhost:1/v1"
    other = replace(full.spec, base_url="http://localhost:2/v1")
    assert HttpEmbedder(other).identity != full.identity


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bm25", "no such embedder"),
        ("lexical+", "no such embedder"),
        ("anthropic:claude", "no embeddings"),
        ("model2vec:", "name the model"),
        ("model2vec:/nowhere/at/all", "cannot be loaded"),
        ("no_such_module:embed", "no_such_module"),
        ("json:no_such_function", "no_such_function"),
        ("json:__doc__", "no function"),
    ],
)
def test_what_names_no_embedder_is_refused_with_a_reason(
    name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match=said):
        open_search(name)


def test_a_server_named_for_what_asks_none() -> None:
    with pytest.raises(InputError, match="--base-url"):
        open_search("lexical", base_url="http://localhost:1/v1")


def test_a_missing_package_names_its_installation() -> None:
    """In a process where the packages cannot be imported."""
    code = (
        "import sys; sys.modules.update(model2vec=None, sentence_transformers=None)\n"
        "from factmark.passages.embedders import open_search\n"
        "from factmark.errors import InputError\n"
        "for name in ('model2vec:x', 'sentence-transformers:x', 'json:dumps'):\n"
        "    sys.modules['faiss'] = None if name == 'json:dumps' else sys\n"
        "    try: open_search(name)\n"
        "    except InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    static, sentences, faiss = done.stdout.splitlines()
    assert "factmark[rag]" in static
    assert "pip install sentence-transformers" in sentences
    assert "faiss" in faiss
    assert "factmark[rag]" in faiss


async def test_a_static_model_is_identified_by_its_files_and_not_its_path(tmp_path: Path) -> None:
    path = static_model(tmp_path / "tiny")
    search = open_search(f"model2vec:{path}")
    assert search.embedder is not None
    gout, asthma, lung = await unit_vectors(search.embedder, ["gout", "asthma", "lung"])
    assert gout @ asthma == pytest.approx(0)
    assert asthma @ lung == pytest.approx(0.9 / np.hypot(0.9, 0.1), abs=1e-5)
    assert search.identity.startswith("model2vec:tiny@")
    assert str(tmp_path) not in search.identity
    settings = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(settings | {"seq_length": 7}))
    changed = open_search(f"model2vec:{path}").identity
    assert changed != search.identity
    (path / "README.md").write_text("What others say of it changes no vector.\n")
    assert open_search(f"model2vec:{path}").identity == changed
    with pytest.raises(EndpointError, match="zero vector"):
        await unit_vectors(search.embedder, ["unknownword"])
    kept = await unit_vectors(search.embedder, ["unknownword"], zeros=True)
    assert not kept.any()


OWN = """
    import numpy as np

    def lengths(texts):
        return [[len(text), 1.0] for text in texts]

    def ragged(texts):
        return [[1.0] * (place + 1) for place, _ in enumerate(texts)]

    def fewer(texts):
        return np.ones((len(texts) - 1, 2))

    def flat(texts):
        return np.ones(len(texts))

    def leaves(texts):
        raise SystemExit(3)
"""


async def test_a_function_of_the_users_own_gives_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_embedders.py").write_text(textwrap.dedent(OWN))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    search = open_search("lexical+my_embedders:lengths")
    assert search.lexical
    assert search.embedder is not None
    assert search.identity.startswith("lexical+my_embedders:lengths@")
    found = await unit_vectors(search.embedder, ["abc", ""])
    np.testing.assert_allclose(found, [[3 / 10**0.5, 1 / 10**0.5], [0, 1]], atol=1e-6)
    for name, kind, said in [
        ("ragged", InputError, "failed"),
        ("fewer", EndpointError, "1 vectors for 2 texts"),
        ("flat", EndpointError, "no table of numbers"),
        ("leaves", InputError, "SystemExit"),
    ]:
        one = open_search(f"my_embedders:{name}")
        assert one.embedder is not None
        with pytest.raises(kind, match=said):
            await unit_vectors(one.embedder, ["a", "b"])
