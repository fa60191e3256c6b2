import ChatEngine
import ChatModel
import WireProtocol

/// A request with an idempotency key, and its answer, as the nodes of a cluster tell each other. JSON.
package struct KeptAnswer: Equatable, Sendable {
    package let name: IdempotencyStore.Name
    package let request: RequestFingerprint
    /// The `UserID.erasureKey` of the user for whom a server key acts.
    package let subject: UInt64?
    /// `nil` for a request that has none yet.
    package var answer: StoredResponse?
    /// Whether there was an answer, but it is too long to keep.
    package var isDropped = false

    /// The greatest size of a kept result in bytes. In the encoded string it may have twice the size, which fits into the
    /// log.
    package static let resultLimit = 65_536

    package init(
        _ name: IdempotencyStore.Name, _ request: RequestFingerprint, subject: UInt64? = nil,
        answer: StoredResponse? = nil
    ) {
        self.name = name
        self.request = request
        self.subject = subject
        self.answer = answer
    }

    package var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            switch name.owner {
            case .user(let user): json.field("user", user.rawValue)
            case .key(let id): json.field("api_key", id)
            }
            json.field("key", name.key)
            json.field("request", request.description)
            if let subject { json.field("subject", String(subject, radix: 16)) }
            switch answer {
            case .result(let bytes) where bytes.count > Self.resultLimit: json.field("is_dropped", true)
            case .result(let bytes): json.field("result", String(decoding: bytes, as: UTF8.self))
            case .rejected(let refusal): json.field("refusal", String(decoding: refusal.encoded, as: UTF8.self))
            case nil: break
            }
        }
        return writer.bytes
    }

    /// - Returns: Nil for anything that a node does not write.
    package init?(_ bytes: [UInt8]) {
        guard let fields = try? JSONFields(bytes), let key = try? fields.string("key"),
            let text = try? fields.string("request"), let request = RequestFingerprint(text)
        else { return nil }
        let owner: IdempotencyStore.Owner
        if let user = try? fields.string("user") {
            guard let id = UserID(user) else { return nil }
            owner = .user(id)
        } else if let id = try? fields.string("api_key") {
            owner = .key(id)
        } else {
            return nil
        }
        let subject = (try? fields.string("subject")).flatMap { UInt64($0, radix: 16) }
        self.init(IdempotencyStore.Name(owner: owner, key: key), request, subject: subject)
        isDropped = (try? fields.bool("is_dropped")) == true
        if let result = try? fields.string("result") {
            answer = .result(Array(result.utf8))
        } else if let refusal = try? fields.string("refusal") {
            answer = .rejected(Rejection(encoded: Array(refusal.utf8)))
        }
    }
}
