/// The bytes of a value validated by `JSONScanner`, and its path.
struct JSONScalar {
    let bytes: ArraySlice<UInt8>
    let path: JSONPath

    var isNull: Bool { bytes.first == UInt8(ascii: "n") }

    func bool() throws -> Bool {
        switch bytes.first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: throw mismatch(Bool.self)
        }
    }

    func string() throws -> String {
        guard bytes.first == UInt8(ascii: "\"") else { throw mismatch(String.self) }
        do throws(JSONSyntaxError) { return try JSONText.string(bytes) } catch { throw corrupted("\(error)") }
    }

    func double() throws -> Double {
        guard isNumber else { throw mismatch(Double.self) }
        guard let number = Double(String(decoding: bytes, as: UTF8.self)), number.isFinite else {
            throw corrupted("a number that does not fit")
        }
        return number
    }

    /// Returns a whole number, which may be written as 5.0 or 5e1.
    func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard isNumber else { throw mismatch(type) }
        if let number = digits(type) { return number }
        guard let number = Value(exactly: try double()) else { throw corrupted("a number that does not fit") }
        return number
    }

    private var isNumber: Bool {
        guard let first = bytes.first else { return false }
        return first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
    }

    /// - Returns: The number; `nil` on overflow, and for anything except an optional sign and digits.
    private func digits<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        var number: Value = 0
        for byte in isNegative ? bytes.dropFirst() : bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let digit = Value(byte - 0x30)
            let (sum, carry) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }

    // MARK: Errors

    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: path.keys, debugDescription: "another type")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func corrupted(_ why: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path.keys, debugDescription: why))
    }
}
