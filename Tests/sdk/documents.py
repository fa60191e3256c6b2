"""Compares the server's API documents, `/openapi.json` and `/asyncapi.json`, with its behaviour.

Every response and event seen by any test of this suite is checked here, so a field that is undocumented, or documented
differently, fails the test that received it.
"""

import copy
import functools
import json

from jsonschema import Draft202012Validator


class Documents:
    def __init__(self, openapi: dict, asyncapi: dict):
        self.openapi, self.asyncapi = openapi, asyncapi
        self.strict = {"openapi": self._closed(openapi), "asyncapi": self._closed(asyncapi)}
        self.failures: list[str] = []
        self.seen: set[tuple[str, int]] = set()

    @staticmethod
    def _closed(document: dict) -> dict:
        """Returns the components with objects closed to undocumented fields. Clients ignore unknown fields, but the
        server may send only documented ones."""
        components = {"schemas": copy.deepcopy(document["components"]["schemas"])}
        for schema in components["schemas"].values():
            if "properties" in schema:
                schema["additionalProperties"] = False
        return components

    @functools.lru_cache(maxsize=None)
    def _validator(self, document: str, schema: str) -> Draft202012Validator:
        return Draft202012Validator({**json.loads(schema), "components": self.strict[document]})

    def hold(self, document: str, schema: dict, value, what: str):
        errors = sorted(self._validator(document, json.dumps(schema)).iter_errors(value), key=str)
        if errors:
            # Also record the failure, because an SDK swallows exceptions of its handlers.
            self.failures.append(f"{what}: {errors[0].json_path}: {errors[0].message} in {json.dumps(value)}")
            raise AssertionError(self.failures[-1])

    def operation(self, command: str) -> dict | None:
        return self.openapi["paths"].get("/v1/" + command, {}).get("post")

    def answer(self, command: str, status: int, answer):
        """Checks a response over HTTP."""
        operation = self.operation(command)
        if operation is None:
            schema = {"$ref": "#/components/schemas/ErrorAnswer"}
            return self.hold("openapi", schema, answer, command)
        assert str(status) in operation["responses"], f"{command} is not said to answer {status}: {answer}"
        response = operation["responses"][str(status)]
        if "$ref" in response:
            response = self.openapi["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
        self.hold("openapi", response["content"]["application/json"]["schema"], answer, f"{command} {status}")
        self.seen.add((command, status))

    def result(self, command: str, result):
        """Checks the result of an RPC."""
        self.answer(command, 200, result)

    def message(self, name: str, message: dict):
        """Checks a WebSocket message by its name in `/asyncapi.json`, whose keys contain no dots."""
        key = name.replace(".", "_")
        messages = self.asyncapi["components"]["messages"]
        assert key in messages, f"{name} is not described: {message}"
        self.hold("asyncapi", messages[key]["payload"], message, name)
        self.seen.add((name, 0))

    def push(self, push: dict):
        if "pub" in push:
            self.message(push["pub"]["data"]["type"], {"push": push})
        elif "subscribe" in push:
            self.message("room.gained", {"push": push})
        elif "unsubscribe" in push:
            self.message("room.lost", {"push": push})


_known: dict[str, Documents] = {}


def of(server) -> Documents:
    """Returns a server's documents, fetched once."""
    if "documents" not in _known:
        _known["documents"] = Documents(
            json.loads(server.get("/openapi.json")[1]), json.loads(server.get("/asyncapi.json")[1]))
    return _known["documents"]
