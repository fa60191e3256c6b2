@_spi(_Unicode) import Swift

/// A metadata key in Unicode's normal form (D). Canonically equivalent keys are one key, on the wire as in the journal;
/// whoever looks up a key in thousands of channels brings it into this form once.
struct MetadataKey: Hashable {
    private let normal: ByteText
    /// Equivalent to no key of ASCII alone, if it is false.
    let isASCII: Bool

    init(_ key: String) {
        var normal = key
        if !key.utf8.allSatisfy({ $0 < 0x80 }) {
            var scalars = String.UnicodeScalarView()
            for scalar in key._nfd { scalars.append(scalar) }
            normal = String(scalars)
        }
        self.normal = ByteText(normal)
        isASCII = normal.utf8.allSatisfy { $0 < 0x80 }
    }

    static func == (a: Self, b: Self) -> Bool { a.normal == b.normal }
    func hash(into hasher: inout Hasher) { normal.hash(into: &hasher) }
    var text: String { normal.text }
}

/// A channel's metadata.
struct Metadata {
    private(set) var values: [String: String]
    /// The same in normal form; empty while all keys are ASCII, which needs none.
    private var normalValues: [MetadataKey: String] = [:]

    init(_ values: [String: String]) {
        self.values = values
        if values.keys.contains(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) { normalize(values) }
    }

    private mutating func normalize(_ values: [String: String]) {
        for (key, value) in values { normalValues[MetadataKey(key)] = value }
    }

    subscript(key: MetadataKey) -> String? {
        if !normalValues.isEmpty { return normalValues[key] }
        return key.isASCII ? values[key.text] : nil
    }

    mutating func set(_ new: [String: String]) {
        values.merge(new) { _, new in new }
        if normalValues.isEmpty { self = Metadata(values) } else { normalize(new) }
    }

    mutating func delete(_ keys: [String]) {
        for key in keys {
            values[key] = nil
            if !normalValues.isEmpty { normalValues[MetadataKey(key)] = nil }
        }
    }
}
