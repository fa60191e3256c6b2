/// A writer that appends JSON objects field by field, in the order of the calls.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// The capacity above which the memory is freed after use, in bytes.
    private static let largestKept = 65_536

    /// Returns what was written in an array without unused capacity, and begins anew in the same memory.
    package mutating func finish() -> [UInt8] {
        let result = bytes.withUnsafeBufferPointer { Array($0) }
        if bytes.capacity > Self.largestKept { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
        needsComma = false
        return result
    }

    private mutating func key(_ key: String) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = true
    }

    /// Writes the outermost object, which has no name.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    package mutating func field(_ name: String, _ text: String) {
        key(name)
        JSONText.append(text, to: &bytes)
    }

    package mutating func field(_ name: String, _ number: UInt64) {
        key(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func field(_ name: String, _ number: Int64) {
        key(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func field(_ name: String, _ flag: Bool) {
        key(name)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Writes a string of ASCII characters that need no escaping.
    ///
    /// - Parameter write: Fills the whole buffer.
    package mutating func ascii(_ name: String, count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        key(name)
        bytes.append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
            write(buffer)
            bytes.append(contentsOf: buffer)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a value that is already JSON.
    package mutating func raw(_ name: String, _ json: some Collection<UInt8>) {
        key(name)
        bytes.append(contentsOf: json)
    }

    package mutating func objects<Element>(
        _ name: String, _ elements: some Sequence<Element>, _ body: (Element, inout JSONWriter) -> Void
    ) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            object { body(element, &$0) }
            isFirst = false
        }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes an array of values that are already JSON.
    package mutating func array(_ name: String, _ elements: some Sequence<[UInt8]>) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: element)
            isFirst = false
        }
        bytes.append(UInt8(ascii: "]"))
    }
}
