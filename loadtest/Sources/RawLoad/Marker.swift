import CSockets

/// Identifies the messages of a load on a connection: `~belfry` and eight digits.
public enum Marker {
    static let prefix = Array("~belfry".utf8)
    static let digits = 8
    /// Bytes of a marker.
    public static let count = prefix.count + digits

    /// - Parameter sequence: 0 to 99,999,999.
    public static func text(_ sequence: Int) -> String {
        let digits = String(sequence)
        return "~belfry" + String(repeating: "0", count: max(0, Self.digits - digits.count)) + digits
    }

    /// Calls the body with the sequence of every marker in a payload, as several events may share a frame.
    public static func forEach(in payload: UnsafeRawBufferPointer, _ body: (Int) -> Void) {
        var rest = payload
        while let base = rest.baseAddress, let found = memmem(base, rest.count, prefix, prefix.count) {
            let start = UnsafeRawPointer(found) - base + prefix.count
            guard rest.count - start >= digits else { return }
            var sequence = 0
            for byte in rest[start..<(start + digits)] { sequence = sequence * 10 + Int(byte & 0x0F) }
            body(sequence)
            rest = UnsafeRawBufferPointer(rebasing: rest[(start + digits)...])
        }
    }
}
