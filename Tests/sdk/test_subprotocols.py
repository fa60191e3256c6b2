"""Subprotocols by name, as SDKs of the Centrifuge protocol and browsers offer them. RFC 6455 §1.9."""

import json

import pytest
import websockets
from belfry import token


@pytest.mark.parametrize(("offers", "chosen"), [
    (None, None),
    (["centrifuge-json"], "centrifuge-json"),
    (["centrifuge-protobuf", "centrifuge-json"], "centrifuge-json"),
    # What is not spoken is not agreed to: a browser gives up then, instead of being answered in another form.
    (["centrifuge-protobuf"], None),
])
async def test_the_form_in_which_the_chat_is_spoken_has_a_name(server, name, offers, chosen):
    async with websockets.connect(server.socket_url, subprotocols=offers) as socket:
        assert socket.subprotocol == chosen
        await socket.send(json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}))
        assert json.loads((await socket.recv()).split("\n")[0])["connect"]["data"]["user"]["id"] == name("ann")


async def test_an_offer_with_a_name_twice_is_refused(server):
    with pytest.raises(websockets.InvalidStatus) as refused:
        await websockets.connect(server.socket_url, subprotocols=["centrifuge-json", "centrifuge-json"])
    assert refused.value.response.status_code == 400
