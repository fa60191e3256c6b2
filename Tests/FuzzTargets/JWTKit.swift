// Replaces jwt-kit in a plain `swiftc` build, as keys are parsed by our code until bytes become a key.

import Crypto
import Foundation

public protocol JWTAlgorithm: Sendable {}

public protocol JWTPayload: Codable, Sendable {
    func verify(using algorithm: some JWTAlgorithm) async throws
}

public struct DigestAlgorithm: Sendable {
    public static let sha256 = DigestAlgorithm()
}

public enum Insecure {
    public enum RSA {
        public struct PublicKey: Sendable {
            private let modulus: Data

            public init(modulus: String, exponent: String) throws { self.modulus = Data(modulus.utf8) }

            public init(pem: String) throws {
                guard pem.contains("MIIB"), !pem.contains("MIIC") else { throw NoKey() }
                modulus = Data(pem.utf8)
            }

            public func getKeyPrimitives() throws -> (modulus: Data, exponent: Data) { (modulus, Data([3])) }
        }
    }
}

public struct ES256PublicKey: Sendable {
    public init(backing key: P256.Signing.PublicKey) throws {}
}

public enum EdDSA {
    public struct PublicKey: Sendable {
        public init(backing key: Curve25519.Signing.PublicKey) {}
    }
}

public struct JWTKeyCollection: Sendable {
    public init() async {}
    public func add(rsa key: Insecure.RSA.PublicKey, digestAlgorithm: DigestAlgorithm) async -> Self { self }
    public func add(ecdsa key: ES256PublicKey) async -> Self { self }
    public func add(eddsa key: EdDSA.PublicKey) async -> Self { self }
    public func verify<Payload: JWTPayload>(_ token: [UInt8], as: Payload.Type) async throws -> Payload {
        throw NoKey()
    }
}
