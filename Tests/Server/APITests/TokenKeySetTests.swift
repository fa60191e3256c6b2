import API
import FoundationEssentials
import SigningSupport
import Testing

/// Files and responses with and without public keys. RFC 7517, RFC 7468.
@Suite struct TokenKeySetTests {
    private let keys = KeyPairs.shared

    private func error(_ bytes: [UInt8]) -> String {
        do throws(TokenKeyError) {
            return "\(try TokenKeySet.read(bytes).count) keys"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        (#""use":"enc""#, "use"), (#""use":"sign""#, "use"), (#""use":1"#, "use"), (#""key_ops":["sign"]"#, "key_ops"),
        (#""key_ops":[]"#, "key_ops"), (#""key_ops":"verify""#, "key_ops"), (#""d":"AA""#, "private"),
        (#""p":"AA""#, "private"), (#""alg":"HS256""#, "alg"), (#""alg":"none""#, "alg"), (#""alg":"RSA-OAEP""#, "alg"),
        (#""alg":"PS256""#, "alg"), (#""alg":["RS256"]"#, "alg"), (#""kid":"""#, "kid"), (#""kid":7"#, "kid"),
        (#""k":"AAAA""#, "BELFRY_TOKEN_SECRET"), (#""kty":"RSA""#, "not a JSON object"),
    ])
    func `a key for another purpose or algorithm is refused with the reason`(
        member: String, reason: String
    ) throws {
        for algorithm in PublicKeyTokenTests.algorithms {
            let refusal = error(keySet(try keys.jwk(algorithm, member)))
            #expect(refusal.contains(reason) && refusal.contains("key 1"), "\(refusal)")
        }
    }

    @Test(arguments: [
        #""use":"sig""#, #""key_ops":["sign","verify"]"#, #""kid":"a","x5t":"b","x5c":["c"]"#, #""ext":true"#,
    ])
    func `unknown members of a key are ignored`(member: String) throws {
        for algorithm in PublicKeyTokenTests.algorithms {
            #expect(error(keySet(try keys.jwk(algorithm, member))) == "1 keys")
            #expect(error(keySet(try keys.jwk(algorithm, #""alg":"\#(algorithm)""#))) == "1 keys")
        }
    }

    @Test(arguments: [
        "", " ", "{", "[]", "null", "{}", #"{"keys":[]}"#, #"{"keys":{}}"#, #"{"keys":[1]}"#, #"{"keys":[null]}"#,
        #"{"keys":[{}]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, #"{"keys":[{"kty":"RSA"}]}"#,
        #"{"keys":[{"kty":"RSA","n":"","e":"AQAB"}]}"#, #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#,
        #"{"keys":[{"kty":"EC","crv":"P-256","x":"","y":""}]}"#, #"{"keys":[{"kty":"EC","crv":"secp256k1"}]}"#,
        #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#, #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"A+/="}]}"#,
        #"{"keys":[{"kty":"OKP","crv":"X25519","x":"AA"}]}"#, "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "ssh-ed25519 AAAA", "<html>not found</html>",
    ])
    func `input without keys is refused`(text: String) {
        #expect(throws: TokenKeyError.self) { try TokenKeySet.read(Array(text.utf8)) }
        #expect(throws: TokenKeyError.self) { try TokenKeySet.published(Array(text.utf8)) }
    }

    @Test func `RSA keys must have 2048 to 8192 bits`() throws {
        for (size, refused) in [(1_024, true), (2_047, true), (2_048, false), (8_193, true), (16_384, true)] {
            var modulus = [UInt8](repeating: 0xFF, count: (size + 7) / 8)
            if size % 8 != 0 { modulus[0] >>= UInt8(8 - size % 8) }
            let key = #"{"kty":"RSA","n":"\#(base64URL(modulus))","e":"AQAB"}"#
            #expect(error(keySet(key)).contains("\(size) bits") == refused, "\(size)")
        }
        let n = try keys.rsa.rsaNumbers().modulus
        for exponent in ["", "AQ", "Ag", "AAAA", "AQAAAAAAAQ"] {
            let refusal = error(keySet(#"{"kty":"RSA","n":"\#(base64URL(n))","e":"\#(exponent)"}"#))
            #expect(refusal.contains(": e "), "\(refusal)")
        }
        let padded = #"{"kty":"RSA","n":"\#(base64URL([0, 0] + n))","e":"AAEAAQ"}"#
        #expect(error(keySet(padded)) == "1 keys", "leading zeroes do not count")
        for (size, refused) in [(2_047, true), (2_048, false), (8_192, false), (8_193, true)] {
            #expect(error(Array(rsaPEM(bits: size).utf8)).contains("2048 to 8192") == refused, "\(size)")
        }
        let small = try SigningKey.rsa(bits: 1_024).pem(.publicKey)
        #expect(error(Array(small.utf8)).contains("2048 to 8192"))
    }

    /// Returns the PEM form of a key with the exponent 3 and a modulus of ones. RFC 5280 §4.1.2.7, RFC 8017 §A.1.1.
    private func rsaPEM(bits: Int) -> String {
        func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let first = UInt8(truncatingIfNeeded: (1 << (bits % 8)) - 1)
        let modulus = der(0x02, [first] + [UInt8](repeating: 0xFF, count: bits / 8))
        let key = der(0x30, modulus + [0x02, 0x01, 0x03])
        let whole = Data(der(0x30, algorithm + der(0x03, [0x00] + key)))
        let lines = whole.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n"
    }

    @Test func `an EC point must be on the curve, with coordinates of the right size`() throws {
        let point = try keys.ec.rawPublicKey()
        let zero = base64URL([UInt8](repeating: 0, count: 32))
        for (x, y) in [
            (base64URL(point.prefix(31)), base64URL(point.suffix(33))), (base64URL(point.prefix(32)), zero),
            (zero, zero),
        ] {
            let refusal = error(keySet(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#))
            #expect(refusal.contains("key 1: x"), "\(refusal)")
        }
    }

    @Test func `PEM can contain one key per algorithm, without ids`() throws {
        let all = try PublicKeyTokenTests.algorithms.map(keys.pem).joined(separator: "\nsome words\n\n")
        let read = try TokenKeySet.read(Array(all.utf8))
        #expect(read.map(\.algorithm) == [.rs256, .es256, .edDSA] && read.allSatisfy { $0.id == nil })
        let windows = all.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        #expect(error(Array(windows.utf8)) == "3 keys")
        #expect(error(Array((all + "\n" + (try keys.pem("ES256"))).utf8)).contains("second key of ES256"))
        for other in [
            try keys.ec.pem(.privateKey), try keys.ec.pem(.typedPrivateKey), try keys.ed.pem(.privateKey),
            try keys.rsa.pem(.privateKey), try keys.rsa.pem(.typedPrivateKey), try keys.rsa.pem(.pkcs1PublicKey),
        ] {
            #expect(error(Array(other.utf8)).contains("openssl pkey"))
        }
        for other in [
            try SigningKey.ec("P-384").pem(.publicKey), try SigningKey.x25519().pem(.publicKey),
            try SigningKey.rsa("RSA-PSS").pem(.publicKey),
        ] {
            #expect(error(Array(other.utf8)).contains("not a public key of RSA"))
        }
    }

    /// RFC 7468 §3.
    @Test func `a PEM block has lines of 64 characters and ends as it begins`() throws {
        let good = try keys.pem("ES256").split(separator: "\n").map(String.init)
        #expect(
            good.count == 4 && good[1].utf8.count == 64 && error(Array(good.joined(separator: "\n").utf8)) == "1 keys")
        let body = good[1] + good[2]
        for lines in [
            [body], [String(body.prefix(63)), String(body.dropFirst(63))], [good[1], good[2] + " "],
            [good[1], good[2], "="],
            [good[1]], [],
        ] {
            let text = ([good[0]] + lines + [good[3]]).joined(separator: "\n")
            #expect(error(Array(text.utf8)).contains("not a public key of RSA"), "\(text)")
        }
        let text = (good.dropLast() + ["-----END EC PUBLIC KEY-----"]).joined(separator: "\n")
        #expect(error(Array(text.utf8)).contains("not a public key of RSA"))
    }

    @Test func `a key set is limited in size and number of keys, and has no duplicate ids`() throws {
        let one = { (id: Int) in try keys.jwk("EdDSA", #""kid":"\#(id)""#) }
        let hundred = try (0..<TokenKeySet.mostKeys).map(one)
        #expect(error(keySet(hundred.joined(separator: ","))) == "100 keys")
        #expect(error(keySet((hundred + [try one(100)]).joined(separator: ","))).contains("more than 100"))
        let huge = keySet(try one(0)) + [UInt8](repeating: 0x20, count: TokenKeySet.mostBytes)
        #expect(error(huge).contains("larger than"))
        #expect(error([0x0A] + huge.map { $0 == 0x7B ? 0x20 : $0 }).contains("larger than"), "also as PEM")
        #expect(error(keySet(try one(1), try one(1))).contains(#"key 2 (kid "1"): another key has the same kid"#))
        #expect(error(keySet(try one(1), try keys.jwk("ES256", #""kid":"1""#))) == "2 keys", "RFC 7517 §4.5")
    }

    /// Identity providers publish encryption keys in addition to signing keys.
    @Test func `a published set may contain other keys as long as one is usable`() throws {
        let encryption = try keys.jwk("RS256", #""use":"enc","alg":"RSA-OAEP","kid":"e""#)
        let good = try keys.jwk("RS256", #""use":"sig","alg":"RS256","kid":"s""#)
        let (found, skipped) = try TokenKeySet.published(keySet(encryption, #"{"kty":"new"}"#, good))
        #expect(found.map(\.id) == ["s"] && skipped.count == 2)
        #expect(skipped.first?.description.contains(#"key 1 (kid "e"): use"#) == true)
        #expect(throws: TokenKeyError.self) { try TokenKeySet.published(keySet(encryption)) }
        #expect(error(keySet(good, encryption)).contains("key 2"), "one's own file holds nothing else")
    }
}
