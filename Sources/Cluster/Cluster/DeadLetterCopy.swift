import ChatEngine
import ChatModel

/// A copy of the writer's dead letters under way, one webhook after the other. Confined to its exchange's queue.
final class DeadLetterCopy {
    /// The greatest number of letters of a webhook that are copied: the greatest that the settings allow.
    static let letterLimit = 10_000
    /// The greatest size of a copied body in bytes: twice that of a request.
    static let bodyLimit = 2 * RelayedCommand.sizeLimit

    /// Tells the answers to this copy from those to earlier ones.
    let number: UInt64
    /// The positions of the news that began the copy. The letters that are listed afterwards include those of every event
    /// up to there.
    let positions: [String: UInt64]
    private var webhooks: ArraySlice<String>
    private(set) var serials: Set<UInt64> = []
    /// The serial of the last letter that is listed so far.
    private(set) var last: UInt64 = 0
    private(set) var isLastPage = false
    /// The letters of the page that this node lacks.
    private(set) var missing: ArraySlice<SharedLetter> = []
    /// What has arrived of the first missing letter's body.
    private(set) var body: [UInt8] = []

    init(_ number: UInt64, of webhooks: [String], positions: [String: UInt64]) {
        self.number = number
        self.webhooks = webhooks[...]
        self.positions = positions
    }

    /// The webhook whose letters are being copied; `nil` at the end.
    var webhook: String? { webhooks.first }

    /// - Parameter known: This node's letters after those of earlier pages.
    /// - Returns: False for a page that cannot be right.
    func add(_ page: ProtoLetterPage, known: [SharedLetter]) -> Bool {
        let letters = page.letters.map(SharedLetter.init)
        let ordered = [last] + letters.map(\.serial)
        guard zip(ordered, ordered.dropFirst()).allSatisfy({ $0 < $1 }), page.isLast || !letters.isEmpty,
            serials.count + letters.count <= Self.letterLimit,
            letters.allSatisfy({ $0.letter.eventID.isToken && $0.letter.type.isToken })
        else { return false }
        let known = Set(known.map(\.serial))
        serials.formUnion(letters.map(\.serial))
        missing = letters.filter { !known.contains($0.serial) }[...]
        last = letters.last?.serial ?? last
        isLastPage = page.isLast
        return true
    }

    /// - Returns: False for a piece that cannot be right.
    func add(_ piece: ProtoLetterBodyPiece) -> Bool {
        guard !piece.exists || piece.isLast || !piece.bytes.isEmpty,
            body.count + piece.bytes.count <= Self.bodyLimit
        else { return false }
        body += piece.bytes
        return true
    }

    func finishLetter() {
        body = []
        missing = missing.dropFirst()
    }

    func finishWebhook() {
        webhooks = webhooks.dropFirst()
        (serials, last, isLastPage, missing, body) = ([], 0, false, [], [])
    }
}

extension String {
    /// Whether this can stand between the spaces of a dead letter's file.
    fileprivate var isToken: Bool { (1...255).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension ProtoLetter {
    init(_ shared: SharedLetter) {
        self.init()
        let letter = shared.letter
        (serial, frame, eventID, type) = (shared.serial, shared.frame, letter.eventID, letter.type)
        (at, attempts) = (letter.at, Int64(clamping: letter.attempts))
        if let status = letter.status { self.status = Int64(clamping: status) }
    }
}

extension SharedLetter {
    init(_ proto: ProtoLetter) {
        self.init(
            serial: proto.serial, frame: proto.frame,
            letter: DeadLetter(
                eventID: proto.eventID, type: proto.type, at: proto.at, attempts: Int(clamping: proto.attempts),
                status: proto.hasStatus ? Int(clamping: proto.status) : nil))
    }
}
