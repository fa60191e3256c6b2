// Replaces the RSA keys of swift-crypto in a plain `swiftc` build. Our code parses keys until bytes become a key.

import Crypto

public enum _RSA {
    public enum Signing {
        public struct Padding: Sendable {
            public static let insecurePKCS1v1_5 = Padding()
        }

        public struct RSASignature: Sendable {
            public init(rawRepresentation: [UInt8]) {}
        }

        public struct PublicKey: Sendable {
            public let keySizeInBits: Int

            public init(n: [UInt8], e: [UInt8]) throws { keySizeInBits = 8 * n.count }

            public init(pemRepresentation: String) throws {
                guard pemRepresentation.contains("MIIB") else { throw NoKey() }
                keySizeInBits = pemRepresentation.contains("MIIC") ? 1_024 : 2_048
            }

            public func isValidSignature(_ signature: RSASignature, for digest: [UInt8], padding: Padding) -> Bool {
                false
            }
        }
    }
}
