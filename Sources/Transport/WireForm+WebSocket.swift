import WebSocketCodec
import WireProtocol

/// What carries a form, and how a client asks for it.
extension WireForm {
    var opcode: Opcode {
        switch self {
        case .json: .text
        case .protobuf: .binary
        }
    }

    /// The name that SDKs of the Centrifuge protocol have for it.
    var subprotocol: String {
        switch self {
        case .json: "centrifuge-json"
        case .protobuf: "centrifuge-protobuf"
        }
    }

    /// What stands between two envelopes that share a message.
    var separator: [UInt8] {
        switch self {
        case .json: [UInt8(ascii: "\n")]
        case .protobuf: []
        }
    }

    /// Why a message of the other kind is not read.
    var refusal: String {
        switch self {
        case .json: "the JSON protocol travels in text frames"
        case .protobuf: "the Protobuf protocol travels in binary frames"
        }
    }

    /// The form that was agreed on: by subprotocol, or else by what the address asks for, as it is with Centrifugo:
    /// `?cf_protocol=protobuf`, and `?format=protobuf` of older SDKs. JSON where nothing was.
    ///
    /// - Parameters:
    ///   - subprotocol: The one that was chosen.
    ///   - target: The request's path with its query, of which nothing is decoded.
    init(subprotocol: String?, target: String) {
        if let form = Self.allCases.first(where: { $0.subprotocol == subprotocol }) {
            self = form
        } else {
            let parameters = target.drop { $0 != "?" }.dropFirst().split(separator: "&")
            self = parameters.contains { Self.protobufParameters.contains(String($0)) } ? .protobuf : .json
        }
    }

    private static let protobufParameters: Set = ["cf_protocol=protobuf", "format=protobuf"]

    /// One envelope as a whole, unmasked frame.
    func frame(_ envelope: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        FrameEncoder.append(opcode, payload: envelope, to: &bytes)
        return bytes
    }
}
