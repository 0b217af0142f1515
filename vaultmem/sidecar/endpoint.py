"""A model behind an OpenAI-compatible service that the person's own config names."""

from __future__ import annotations

import hashlib
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from vaultmem.sidecar.instructions import Instructions
from vaultmem.sidecar.local import LONGEST, unit
from vaultmem.sidecar.seams import Vectors
from vaultmem.words.errors import ModelMissing

BATCH = 64
TIMEOUT = 30.0
LARGEST = 64 << 20
"""Bytes of an answer that are read; a batch of 64 long vectors has a tenth of that."""


class Endpoint:
    """A remote model. Every text is sent to it; nothing is sent before the first one."""

    def __init__(
        self,
        address: str,
        model: str,
        instructions: Instructions,
        key: str = "",
        key_variable: str = "",
        timeout: float = TIMEOUT,
    ) -> None:
        parts = urlsplit(address)
        path = parts.path.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        self._url = parts._replace(path=path).geturl()
        self._model = model
        self._said = instructions
        self._key = key
        self._variable = key_variable
        self._timeout = timeout
        self._host = parts.hostname or ""
        self._shown = f"{self._host}{path}"
        self._dimension = 0
        self._opener = _opener(self._url)

    @property
    def name(self) -> str:
        """Name of the model, its host and a mark of address and instructions."""
        said = f"{self._url}\0{self._said.query}\0{self._said.passage}"
        return f"{self._model}@{self._host}+{hashlib.sha256(said.encode()).hexdigest()[:8]}"

    @property
    def dimension(self) -> int:
        """Length of its vectors, 0 before the first answer."""
        return self._dimension

    def passages(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Return one unit vector a text, None for an empty one.

        Raises:
            ModelMissing: the service does not answer, or not with one sound vector a text.
        """
        return self._embedded(texts, self._said.passage)

    def query(self, text: str) -> Vectors | None:
        """Return the unit vector of a question, None for an empty one. Raises ModelMissing."""
        return self._embedded([text], self._said.query)[0]

    def _embedded(self, texts: Sequence[str], before: str) -> list[Vectors | None]:
        found: list[Vectors | None] = [None] * len(texts)
        wanted = [i for i, text in enumerate(texts) if text.strip()]
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            sent = [before + texts[i][:LONGEST] for i in batch]
            for i, vector in zip(batch, self._vectors(sent), strict=True):
                found[i] = vector
        return found

    def _vectors(self, texts: list[str]) -> list[Vectors]:
        answer = self._answer({"model": self._model, "input": texts})
        try:
            data = sorted(json.loads(answer)["data"], key=lambda item: int(item["index"]))
            places = [item["index"] for item in data]
            rows = [[float(number) for number in item["embedding"]] for item in data]
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            raise self._failed("its answer is no list of embeddings") from error
        if places != list(range(len(texts))):
            raise self._failed(f"it answered {len(texts)} texts with {len(rows)} vectors")
        dimension = self._dimension or len(rows[0])
        vectors = [unit(row, dimension) for row in rows]
        sound = [vector for vector in vectors if vector is not None]
        if len(sound) != len(texts):
            raise self._failed(f"a vector is not {dimension} finite numbers")
        self._dimension = dimension
        return sound

    def _answer(self, question: dict[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        body = json.dumps(question).encode("ascii")
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310  # checked in config
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                read: bytes = answer.read(LARGEST)
                return read
        except urllib.error.HTTPError as error:
            error.close()
            raise self._failed(f"it answered {error.code} {error.reason}", error.code) from error
        except TimeoutError as error:
            raise self._failed(f"no answer within {self._timeout:g} s") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            said = getattr(error, "reason", None) or type(error).__name__
            raise self._failed(str(said)) from error

    def _failed(self, why: str, status: int = 0) -> ModelMissing:
        advice = "See whether the service runs and is OpenAI-compatible, then try again."
        if status in (401, 403):
            advice = f"Put a key that it accepts into the environment variable {self._variable}."
        elif status in (400, 404, 405, 422) or 300 <= status < 400:
            advice = "Correct `endpoint` or `model` in your own config."
        elif status == 429:
            advice = "It has had enough of us for now; try again later."
        return ModelMissing(f"{self._shown}: {why}", advice)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Goes where the person said and nowhere else: a redirect would take the key along."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _opener(url: str) -> urllib.request.OpenerDirector:
    if urlsplit(url).scheme == "http":  # a service on this machine is not asked through a proxy
        return urllib.request.build_opener(_Stay, urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(_Stay)
