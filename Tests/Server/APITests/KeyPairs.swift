import API
import Gateway
import SigningSupport
import Testing

/// Private keys of every kind, their public halves as JSON, and tokens signed with them.
struct KeyPairs {
    static let shared = KeyPairs()

    let rsa: SigningKey
    let ec: SigningKey
    let ed: SigningKey

    init() {
        guard let rsa = try? SigningKey.rsa(), let ec = try? SigningKey.ec(), let ed = try? SigningKey.ed25519() else {
            preconditionFailure("no keys")
        }
        self.rsa = rsa
        self.ec = ec
        self.ed = ed
    }

    /// Returns the members of a JWK without braces, followed by additional ones.
    func jwk(_ algorithm: String, _ more: String = "") throws -> String {
        let members: String
        switch algorithm {
        case "RS256":
            let key = try rsa.rsaNumbers()
            members = #""kty":"RSA","n":"\#(base64URL(key.modulus))","e":"\#(base64URL(key.exponent))""#
        case "ES256":
            let point = try ec.rawPublicKey()
            let (x, y) = (base64URL(point.prefix(32)), base64URL(point.suffix(32)))
            members = #""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)""#
        default:
            members = #""kty":"OKP","crv":"Ed25519","x":"\#(base64URL(try ed.rawPublicKey()))""#
        }
        return "{" + members + (more.isEmpty ? "" : "," + more) + "}"
    }

    func pem(_ algorithm: String) throws -> String {
        switch algorithm {
        case "RS256": try rsa.pem(.publicKey)
        case "ES256": try ec.pem(.publicKey)
        default: try ed.pem(.publicKey)
        }
    }

    /// - Parameter head: Header members in addition to `alg`.
    func token(
        _ algorithm: String, head: String = "", claims: String = #"{"sub":"ann"}"#, says: String? = nil
    ) throws -> String {
        let header = #"{"alg":"\#(says ?? algorithm)""# + (head.isEmpty ? "" : "," + head) + "}"
        let signed = base64URL(header.utf8) + "." + base64URL(claims.utf8)
        return signed + "." + base64URL(try signature(algorithm, Array(signed.utf8)))
    }

    private func signature(_ algorithm: String, _ bytes: [UInt8]) throws -> [UInt8] {
        switch algorithm {
        case "RS256": try rsa.signature(of: bytes)
        case "PS256": try rsa.signature(of: bytes, padding: .pss)
        case "RS512": try rsa.signature(of: bytes, hash: "SHA512")
        case "ES256": try ec.p256Signature(of: bytes)
        case "ES256 as DER": try ec.signature(of: bytes)
        default: try ed.signature(of: bytes, hash: nil)
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
