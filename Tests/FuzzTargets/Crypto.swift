// Replaces swift-crypto in a plain `swiftc` build, as no fuzzed code depends on a hash or a curve. Keys are accepted by
// length, except that every third key of that length is invalid.

public enum Insecure {
    public enum SHA1 {
        public static func hash(data: [UInt8]) -> [UInt8] { digest(data, count: 20) }
    }
}

public enum SHA256 {
    public static let byteCount = 32
    public static func hash(data: [UInt8]) -> [UInt8] { digest(data, count: 32) }
}

private func digest(_ data: [UInt8], count: Int) -> [UInt8] {
    (0..<count).map { place in data.reduce(UInt8(place)) { $0 &* 31 &+ $1 } }
}

public struct SymmetricKey: Sendable, Equatable {
    private let bytes: [UInt8]
    public init(data: [UInt8]) { bytes = data }
}

public struct NoKey: Error {
    public init() {}
}

/// A public key of 64 bytes (P-256) or 32 (Ed25519).
public struct PlainKey: Sendable {
    init(_ bytes: some Collection<UInt8>, count: Int) throws {
        guard bytes.count == count, bytes.reduce(0, &+) % 3 != 0 else { throw NoKey() }
    }
}

public enum P256 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public init(rawRepresentation: [UInt8]) throws { _ = try PlainKey(rawRepresentation, count: 64) }
            public init(pemRepresentation: String) throws {
                guard pemRepresentation.contains("MFkw") else { throw NoKey() }
            }
            public func isValidSignature(_ signature: ECDSASignature, for digest: [UInt8]) -> Bool { false }
        }

        public struct ECDSASignature: Sendable {
            public init(rawRepresentation: [UInt8]) throws {}
        }
    }
}

public enum Curve25519 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public init(rawRepresentation: some Collection<UInt8>) throws {
                _ = try PlainKey(rawRepresentation, count: 32)
            }
            public func isValidSignature(_ signature: [UInt8], for text: [UInt8]) -> Bool { false }
        }
    }
}
