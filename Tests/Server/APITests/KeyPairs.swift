import API
import Crypto
import CryptoExtras
import FoundationEssentials
import Gateway
import Testing

/// Private keys of every kind, their public halves as JSON, and tokens signed with them.
struct KeyPairs {
    static let shared = KeyPairs()

    let rsa: _RSA.Signing.PrivateKey
    let ec = P256.Signing.PrivateKey()
    let ed = Curve25519.Signing.PrivateKey()

    init() {
        guard let rsa = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else { fatalError("no RSA key") }
        self.rsa = rsa
    }

    /// Returns the members of a JWK without braces, followed by additional ones.
    func jwk(_ algorithm: String, _ more: String = "") throws -> String {
        let members: String
        switch algorithm {
        case "RS256":
            let key = try rsa.publicKey.getKeyPrimitives()
            members = #""kty":"RSA","n":"\#(base64URL(key.modulus))","e":"\#(base64URL(key.publicExponent))""#
        case "ES256":
            let point = ec.publicKey.rawRepresentation
            let (x, y) = (base64URL(point.prefix(32)), base64URL(point.suffix(32)))
            members = #""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)""#
        default:
            members = #""kty":"OKP","crv":"Ed25519","x":"\#(base64URL(ed.publicKey.rawRepresentation))""#
        }
        return "{" + members + (more.isEmpty ? "" : "," + more) + "}"
    }

    func pem(_ algorithm: String) -> String {
        switch algorithm {
        case "RS256": rsa.publicKey.pemRepresentation
        case "ES256": ec.publicKey.pemRepresentation
        default: ed.publicKey.pemRepresentation
        }
    }

    /// - Parameter head: Header members in addition to `alg`.
    func token(
        _ algorithm: String, head: String = "", claims: String = #"{"sub":"ann"}"#, says: String? = nil
    ) throws -> String {
        let header = #"{"alg":"\#(says ?? algorithm)""# + (head.isEmpty ? "" : "," + head) + "}"
        let signed = base64URL(header.utf8) + "." + base64URL(claims.utf8)
        return signed + "." + base64URL(try signature(algorithm, Data(signed.utf8)))
    }

    private func signature(_ algorithm: String, _ bytes: Data) throws -> Data {
        switch algorithm {
        case "RS256":
            try rsa.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation
        case "PS256": try rsa.signature(for: SHA256.hash(data: bytes), padding: .PSS).rawRepresentation
        case "RS512":
            try rsa.signature(for: SHA512.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation
        case "ES256": try ec.signature(for: bytes).rawRepresentation
        case "ES256 as DER": try ec.signature(for: bytes).derRepresentation
        default: try ed.signature(for: bytes)
        }
    }
}

func keySet(_ keys: String...) -> [UInt8] { Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8) }

/// Returns a verifier with these public keys.
func verifier(
    _ set: [UInt8], secret: String? = nil, source: (any TokenKeySource)? = nil, rules: TokenRules = TokenRules()
) throws -> TokenVerifier {
    let ring = TokenKeyRing()
    ring.setRead(try TokenKeySet.read(set))
    return TokenVerifier(
        secret: secret.map { Array($0.utf8) }, ring: ring, source: source, rules: rules,
        clock: { TokenVerifierTests.now })
}

extension TokenVerifier {
    /// Returns the refusal of a token; `nil` if it is accepted.
    func refusal(_ token: String) async -> TokenRefusal? {
        guard case .failure(let refusal) = await verify(token) else { return nil }
        return refusal
    }
}
