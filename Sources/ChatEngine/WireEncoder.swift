import FoundationEssentials

/// JSON as it goes over the wire: keys sorted, so that equal values give equal bytes in every process.
package struct WireEncoder {
    private let encoder: JSONEncoder

    package init() {
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    package func encode(_ value: any Encodable) -> [UInt8] {
        // The shapes of ChatModel hold strings, integers and booleans: nothing that JSON cannot say.
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("a wire shape that JSON cannot say: \(type(of: value))")
        }
        return Array(data)
    }
}
