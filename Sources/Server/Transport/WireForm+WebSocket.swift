import WebSocketCodec
import WireProtocol

/// Negotiation and framing of a form over WebSocket.
extension WireForm {
    var opcode: Opcode {
        switch self {
        case .json: .text
        case .protobuf: .binary
        }
    }

    /// The subprotocol name that Centrifuge SDKs use.
    var subprotocol: String {
        switch self {
        case .json: "centrifuge-json"
        case .protobuf: "centrifuge-protobuf"
        }
    }

    /// The separator between two envelopes in one message.
    var separator: [UInt8] {
        switch self {
        case .json: [UInt8(ascii: "\n")]
        case .protobuf: []
        }
    }

    /// The close reason for a message of the wrong kind.
    var refusal: String {
        switch self {
        case .json: "the JSON protocol needs text frames"
        case .protobuf: "the Protobuf protocol needs binary frames"
        }
    }

    /// Selects the form by subprotocol, or else by query parameter as with Centrifugo: `?cf_protocol=protobuf`, or
    /// `?format=protobuf` from older SDKs. Defaults to JSON.
    ///
    /// - Parameters:
    ///   - subprotocol: The selected subprotocol.
    ///   - target: The request's path and query, not decoded.
    init(subprotocol: String?, target: String) {
        if let form = Self.allCases.first(where: { $0.subprotocol == subprotocol }) {
            self = form
        } else {
            let parameters = target.drop { $0 != "?" }.dropFirst().split(separator: "&")
            self = parameters.contains { Self.protobufParameters.contains(String($0)) } ? .protobuf : .json
        }
    }

    private static let protobufParameters: Set = ["cf_protocol=protobuf", "format=protobuf"]

    /// Returns one envelope as a whole, unmasked frame.
    func frame(_ envelope: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        FrameEncoder.append(opcode, payload: envelope, to: &bytes)
        return bytes
    }
}
