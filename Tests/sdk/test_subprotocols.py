"""Subprotocols as offered by SDKs of the Centrifuge protocol and by browsers. RFC 6455 §1.9."""

import forms
import pytest
import websockets
from belfry import token


@pytest.mark.parametrize(("offers", "chosen"), [
    (None, None),
    (["centrifuge-json"], "centrifuge-json"),
    (["centrifuge-json", "centrifuge-protobuf"], "centrifuge-json"),
    (["centrifuge-protobuf", "centrifuge-json"], "centrifuge-protobuf"),
    (["centrifuge-protobuf"], "centrifuge-protobuf"),
    # An unsupported subprotocol is not selected, so that a browser gives up instead of receiving another form.
    (["centrifuge-cbor"], None),
    (["centrifuge-cbor", "centrifuge-protobuf"], "centrifuge-protobuf"),
])
async def test_the_subprotocol_selects_the_form(server, name, offers, chosen):
    async with websockets.connect(server.socket_url, subprotocols=offers) as socket:
        assert socket.subprotocol == chosen
        form = "protobuf" if chosen == "centrifuge-protobuf" else "json"
        await socket.send(forms.encode([{"id": 1, "connect": {"token": token(name("ann"))}}], form))
        assert forms.decode(await socket.recv(), form)[0]["connect"]["data"]["user"]["id"] == name("ann")


async def test_an_offer_with_a_duplicate_name_is_refused(server):
    with pytest.raises(websockets.InvalidStatus) as refused:
        await websockets.connect(server.socket_url, subprotocols=["centrifuge-json", "centrifuge-json"])
    assert refused.value.response.status_code == 400
