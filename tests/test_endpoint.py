"""A model behind a service: what is sent to it, and what of its answers is believed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vaultmem.sidecar.endpoint import Endpoint
from vaultmem.sidecar.instructions import PLAIN, Instructions
from vaultmem.sidecar.models import chosen
from vaultmem.sidecar.seams import Embedder
from vaultmem.words.config import UserConfig
from vaultmem.words.errors import ModelMissing

Reply = Callable[[dict[str, Any]], tuple[int, Any]]


def vectors(asked: dict[str, Any]) -> tuple[int, Any]:
    """Answer as a sound service does, in no order: the length of a text and one."""
    data = [
        {"index": i, "embedding": [len(text), 1.0, 0.0]} for i, text in enumerate(asked["input"])
    ]
    return 200, {"object": "list", "data": data[::-1]}


class Service:
    """A service on this machine that answers as told and keeps what it was asked."""

    def __init__(self) -> None:
        self.reply: Reply = vectors
        self.headers: dict[str, str] = {}
        self.asked: list[tuple[str, str | None, dict[str, Any]]] = []
        service = self

        class Door(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append((self.path, self.headers["Authorization"], asked))
                status, answer = service.reply(asked)
                body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in service.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                service.asked.append((self.path, self.headers["Authorization"], {}))
                self.send_error(404)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"

    def model(self, instructions: Instructions = PLAIN, **more: Any) -> Endpoint:
        return Endpoint(self.address, "m", instructions, **more)


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def test_texts_are_sent_with_model_and_key_and_vectors_come_back_in_order(
    service: Service, tmp_path: Path
) -> None:
    config = UserConfig(model="m", endpoint=service.address, endpoint_key_env="MINE")
    model: Embedder = chosen(config, tmp_path, {"MINE": "abc"})
    assert model.dimension == 0

    one, none, two = model.passages(["aa", " ", "bbbb"])

    assert service.asked == [
        ("/v1/embeddings", "Bearer abc", {"model": "m", "input": ["aa", "bbbb"]})
    ]
    assert none is None
    assert one is not None
    assert two is not None
    assert one == pytest.approx(np.array([2, 1, 0]) / 5**0.5)
    assert two == pytest.approx(np.array([4, 1, 0]) / 17**0.5)
    assert model.dimension == 3


def test_without_a_key_none_is_sent_and_the_whole_address_may_be_named(service: Service) -> None:
    for tail in ("", "/", "/embeddings", "/embeddings/?version=1"):
        Endpoint(service.address + tail, "m", PLAIN).query("roses")

    paths, keys, _ = zip(*service.asked, strict=True)
    assert paths == (*["/v1/embeddings"] * 3, "/v1/embeddings?version=1")
    assert set(keys) == {None}


def test_instructions_go_before_what_they_are_for(service: Service) -> None:
    model = service.model(Instructions("Q: ", "P: "))

    model.query("roses")
    model.passages(["bud"])

    assert [asked["input"] for _, _, asked in service.asked] == [["Q: roses"], ["P: bud"]]


def test_many_texts_go_in_batches_of_64(service: Service) -> None:
    found = service.model().passages([f"text {i}" for i in range(130)])

    assert [len(asked["input"]) for _, _, asked in service.asked] == [64, 64, 2]
    assert len(found) == 130
    assert all(vector is not None for vector in found)


def test_nothing_readable_is_not_sent(service: Service) -> None:
    assert service.model().passages(["", " \n"]) == [None, None]
    assert service.asked == []


def row(*numbers: float) -> dict[str, Any]:
    return {"data": [{"index": 0, "embedding": numbers}]}


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (200, b"<html>", "no list of embeddings"),
        (200, {"error": "x"}, "no list of embeddings"),
        (200, {"data": [{"index": 0, "embedding": "AAAA"}]}, "no list of embeddings"),
        (200, {"data": []}, "answered 1 texts with 0 vectors"),
        (200, {"data": row(1.0)["data"] * 2}, "answered 1 texts with 2 vectors"),
        (200, row(), "a vector is not 0 finite numbers"),
        (200, row(float("nan"), 1.0), "a vector is not 2 finite numbers"),
        (200, row(0.0, 0.0), "a vector is not 2 finite numbers"),
        (401, b"", "answered 401 .*environment variable MINE"),
        (404, b"", "answered 404 .*Correct `endpoint` or `model`"),
        (429, b"", "answered 429 .*try again later"),
        (500, b"", "answered 500 .*See whether the service runs"),
    ],
)
def test_an_answer_that_is_not_sound_is_said_with_what_to_do(
    service: Service, status: int, answer: Any, said: str
) -> None:
    service.reply = lambda asked: (status, answer)

    with pytest.raises(ModelMissing, match=said) as failed:
        service.model(key="abc", key_variable="MINE").query("roses")

    assert "keyword alone" in str(failed.value)
    assert "abc" not in str(failed.value)


def test_a_service_that_changes_its_dimension_is_not_believed(service: Service) -> None:
    model = service.model()
    model.query("roses")
    service.reply = lambda asked: (200, row(1.0, 2.0))

    with pytest.raises(ModelMissing, match="a vector is not 3 finite numbers"):
        model.query("roses")

    assert model.dimension == 3


def test_a_redirect_is_not_followed_and_the_key_stays(service: Service) -> None:
    service.headers = {"Location": f"{service.address}/elsewhere"}
    service.reply = lambda asked: (302, b"")

    with pytest.raises(ModelMissing, match=r"answered 302 .*Correct `endpoint`"):
        service.model(key="abc").query("roses")

    assert len(service.asked) == 1


def test_a_service_that_does_not_run_is_said(service: Service) -> None:
    address = service.address
    service.server.shutdown()
    service.server.server_close()

    with pytest.raises(ModelMissing, match=r"refused.*See whether the service runs"):
        Endpoint(address, "m", PLAIN).query("roses")


def test_a_service_that_does_not_answer_is_not_waited_for(service: Service) -> None:
    gate = threading.Event()
    service.reply = lambda asked: (200, {"late": gate.wait(60)})

    with pytest.raises(ModelMissing, match=r"no answer within 0\.05 s"):
        service.model(timeout=0.05).query("roses")

    gate.set()


def test_a_name_tells_address_model_and_instructions_apart() -> None:
    names = {
        Endpoint("https://a.org/v1", "m", PLAIN).name,
        Endpoint("https://a.org/v2", "m", PLAIN).name,
        Endpoint("https://a.org/v1", "n", PLAIN).name,
        Endpoint("https://a.org/v1", "m", Instructions("Q: ")).name,
    }

    assert len(names) == 4
    assert all("@a.org+" in name for name in names)
    assert Endpoint("https://a.org/v1", "m", PLAIN, "key one").name in names
