import COpenSSL
import Cryptography
import Dispatch
import FoundationEssentials
import Glibc
import SigningSupport
import Synchronization
import Testing

/// Keys and signatures that a lax verifier would accept. The cases follow Google's Project Wycheproof.
@Suite struct SignatureKeyTests {
    private static let text = Array("a.b".utf8)

    private func spki(_ key: SigningKey) throws -> [UInt8] {
        let lines = try key.pem(.publicKey).split(separator: "\n").dropFirst().dropLast()
        return Array(try #require(Data(base64Encoded: lines.joined())))
    }

    private func publicKey(_ key: SigningKey) throws -> SignatureKey { try #require(SignatureKey(spki: try spki(key))) }

    // MARK: Signatures

    @Test func `a key verifies its own signatures only, on several queues at the same time`() throws {
        let (rsa, ec, ed) = (try SigningKey.rsa(), try SigningKey.ec(), try SigningKey.ed25519())
        let keys = [try publicKey(rsa), try publicKey(ec), try publicKey(ed)]
        #expect(keys.map(\.algorithm) == [.rsaPKCS1, .p256, .ed25519] && keys.map(\.bits) == [2_048, 256, 256])
        let signatures = [
            try rsa.signature(of: Self.text), try ec.p256Signature(of: Self.text),
            try ed.signature(of: Self.text, hash: nil),
        ]
        let wrong = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<8 {
                for (key, own) in zip(keys, signatures.indices) {
                    for (index, signature) in signatures.enumerated() {
                        let isValid = key.isValid(signature, for: Self.text)
                        if isValid != (own == index) || key.isValid(signature, for: Self.text + [0]) {
                            wrong.withLock { $0.append("\(own) \(index)") }
                        }
                    }
                }
            }
        }
        #expect(wrong.withLock(\.self) == [])
    }

    @Test func `a refused signature or key leaves no error that OpenSSL's next user would find`() throws {
        for key in [try SigningKey.rsa(), try SigningKey.ec(), try SigningKey.ed25519()] {
            let key = try publicKey(key)
            for count in [0, 64, 256] {
                #expect(!key.isValid([UInt8](repeating: 1, count: count), for: Self.text))
                #expect(ERR_peek_error() == 0)
            }
        }
        #expect(SignatureKey(spki: [0x30, 0x00]) == nil && ERR_peek_error() == 0)
        #expect(SignatureKey(p256: [UInt8](repeating: 0, count: 64)) == nil && ERR_peek_error() == 0)
    }

    @Test func `P-256: numbers at the ends of their range are refused, in every combination`() throws {
        let key = try publicKey(try SigningKey.ec())
        // FIPS 186-4 §D.1.2.3: the order and the prime.
        let order: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
        let prime =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
            + [UInt8](repeating: 0xFF, count: 12)
        let zero = [UInt8](repeating: 0, count: 32)
        func next(_ number: [UInt8], _ step: UInt8) -> [UInt8] { number.dropLast() + [number[31] &+ step] }
        let numbers = [
            zero, next(zero, 1), next(order, 0xFF), order, next(order, 1), prime, [UInt8](repeating: 0xFF, count: 32),
        ]
        for r in numbers {
            for s in numbers { #expect(!key.isValid(r + s, for: Self.text), "\(hex(r)) \(hex(s))") }
        }
    }

    @Test func `P-256: a signature has 64 bytes and is not in DER`() throws {
        let ec = try SigningKey.ec(), key = try publicKey(ec)
        let good = try ec.p256Signature(of: Self.text)
        #expect(key.isValid(good, for: Self.text))
        #expect(!key.isValid(try ec.signature(of: Self.text), for: Self.text), "DER")
        for wrong in [
            [], [0] + good, good + [0], Array(good.dropLast()), [0] + good.prefix(32) + [0] + good.suffix(32),
        ] {
            #expect(!key.isValid(wrong, for: Self.text), "\(wrong.count) bytes")
        }
    }

    /// The sum gives the same point, so a verifier must check the range. RFC 8032 §5.1.7.
    @Test func `Ed25519: the sum of s and the order is refused`() throws {
        let ed = try SigningKey.ed25519(), key = try publicKey(ed)
        var signature = try ed.signature(of: Self.text, hash: nil)
        #expect(key.isValid(signature, for: Self.text))
        let order: [UInt8] =
            [0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14]
            + [UInt8](repeating: 0, count: 15) + [0x10]
        var carry = 0
        for (index, byte) in order.enumerated() {
            carry += Int(signature[32 + index]) + Int(byte)
            signature[32 + index] = UInt8(carry & 0xFF)
            carry >>= 8
        }
        #expect(carry == 0 && !key.isValid(signature, for: Self.text))
    }

    /// With the exponent 3, any text can be signed if bytes may follow the digest (CVE-2006-4339). The cube of this number is
    /// `00 01 FF … FF 00`, the digest of `a.b` and other bytes.
    @Test func `RSA: a cube with bytes after the digest is refused`() throws {
        let key = try #require(SignatureKey(rsaModulus: [UInt8](repeating: 0xFF, count: 256), exponent: [3]))
        let root = try #require(
            Data(
                base64Encoded: """
                    ADLL/Up63HkFWD12dSD1FkB1kXbTeCby72OuPcenpygC6/V5MMDp5CmVXJxtBGq4qKbAqpCifuWmGAb0woei7aaQzTkO6pTTGiG+QGLrTu4y\
                    4AgdwGM=
                    """))
        #expect(!key.isValid([UInt8](repeating: 0, count: 256 - root.count) + root, for: Self.text))
    }

    @Test(arguments: [0, 1, 2] as [UInt8])
    func `RSA: small numbers of any length are refused`(number: UInt8) throws {
        let key = try publicKey(try SigningKey.rsa())
        for count in [1, 255, 256, 257] {
            let signature = [UInt8](repeating: 0, count: count - 1) + [number]
            #expect(!key.isValid(signature, for: Self.text), "\(count)")
        }
    }

    /// Other threads may still use a key while the process exits.
    @Test func `keys and hashes work until the process has ended`() async {
        await #expect(processExitsWith: .success) {
            // Handlers run last in, first out: this one after OpenSSL's, if it has one.
            atexit {
                if SignatureKey(ed25519: [UInt8](repeating: 9, count: 32)) == nil { _exit(1) }
                if SHA256.hash([]).count != 32 { _exit(2) }
            }
            _ = SHA256.hash([])
            exit(0)
        }
    }

    // MARK: Keys

    @Test func `RSA: the modulus and the exponent are odd, and the exponent has 2 to 33 bits`() throws {
        let odd = [UInt8](repeating: 0xFF, count: 256)
        for (exponent, isFine) in [
            ([], false), ([0], false), ([1], false), ([2], false), ([3], true), ([0, 0, 3], true), ([1, 0, 0], false),
            ([1, 0, 1], true), ([1, 0, 0, 0, 1], true), ([3, 0, 0, 0, 1], false), (odd, false),
        ] as [([UInt8], Bool)] {
            #expect((SignatureKey(rsaModulus: odd, exponent: exponent) != nil) == isFine, "\(exponent)")
        }
        for modulus in [[], [0], [2], odd.dropLast() + [0xFE]] as [[UInt8]] {
            #expect(SignatureKey(rsaModulus: modulus, exponent: [1, 0, 1]) == nil, "\(modulus.count)")
        }
        #expect(SignatureKey(rsaModulus: [0, 0] + odd, exponent: [3])?.bits == 2_048)
    }

    @Test func `P-256: a point has 64 bytes and is on the curve`() throws {
        let point = try SigningKey.ec().rawPublicKey()
        #expect(SignatureKey(p256: point)?.algorithm == .p256)
        var other = point
        other[63] ^= 1
        let far = [UInt8](repeating: 0xFF, count: 64)
        for wrong in [[], [0x04] + point, point + [0], Array(point.dropLast()), other, far] {
            #expect(SignatureKey(p256: wrong) == nil, "\(wrong.count)")
        }
    }

    @Test func `Ed25519: a key has 32 bytes, and verifies nothing if it is not a point`() throws {
        let ed = try SigningKey.ed25519(), raw = try ed.rawPublicKey()
        let signature = try ed.signature(of: Self.text, hash: nil)
        #expect(SignatureKey(ed25519: raw)?.isValid(signature, for: Self.text) == true)
        for wrong in [[], raw + [0], Array(raw.dropLast())] { #expect(SignatureKey(ed25519: wrong) == nil) }
        let noPoint = [2] + [UInt8](repeating: 0, count: 31)
        #expect(SignatureKey(ed25519: noPoint)?.isValid(signature, for: Self.text) == false)
    }

    @Test func `a SubjectPublicKeyInfo must be DER, without anything after it`() throws {
        for key in [try SigningKey.rsa(), try SigningKey.ec(), try SigningKey.ed25519()] {
            let good = try spki(key)
            #expect(SignatureKey(spki: good) != nil)
            for count in good.indices {
                #expect(SignatureKey(spki: Array(good.prefix(count))) == nil, "\(count) bytes")
            }
            #expect(SignatureKey(spki: good + [0]) == nil && SignatureKey(spki: good + good) == nil)
            // BER: a length in more bytes than needed, or of no fixed value.
            let head = good[1] == 0x82 ? 4 : 2
            let length = head == 4 ? Array(good[2..<4]) : [0, good[1]]
            #expect(SignatureKey(spki: [0x30, 0x83, 0] + length + good.dropFirst(head)) == nil)
            #expect(SignatureKey(spki: [0x30, 0x80] + good.dropFirst(head) + [0, 0]) == nil)
        }
    }

    @Test func `keys of other algorithms are refused`() throws {
        for key in [
            try SigningKey.ec("P-384"), try SigningKey.ec("secp256k1"), try SigningKey.x25519(),
            try SigningKey.rsa("RSA-PSS"),
        ] {
            #expect(SignatureKey(spki: try spki(key)) == nil)
        }
        // The compressed form of a P-256 point. SEC 1 §2.3.3.
        let whole = try spki(try SigningKey.ec())
        let algorithm = whole[2..<23]
        let compressed = [0x30, 0x39] + algorithm + [0x03, 0x22, 0x00, 0x02 | whole[90] & 1] + whole[27..<59]
        #expect(SignatureKey(spki: compressed) == nil)
    }
}
