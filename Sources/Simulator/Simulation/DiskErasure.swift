import ChatDomain
import ChatModel
import Journal

/// The erasures of deleted users from one server's disk. Each takes several steps, between which anything may happen.
struct DiskErasure {
    /// The frame through which everything was erased and checked.
    private var done: UInt64 = 0
    /// The frame through which everything was erased, but replaced blocks may not be overwritten yet.
    private var erased: UInt64?
    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed &+ 3 << 40) }

    /// Another process begins anew.
    mutating func restart() { erased = nil }

    /// Does the next step, if there is one.
    ///
    /// - Parameters:
    ///   - frames: All frames, in order.
    ///   - durable: The last frame on the server's disk.
    /// - Returns: The frame through which everything is erased, and what is left nevertheless; `nil` if that is not done.
    mutating func proceed(
        on server: SimulatedServer, _ disk: SimulatedDisk, _ options: SimulatorOptions, _ frames: [History.Frame],
        durable: UInt64
    ) throws -> (frame: UInt64, leaks: [String])? {
        if let erased {
            guard server.hasAdopted else { return nil }
            (self.erased, done) = (nil, erased)
            return (erased, try leaks(through: erased, on: disk, options, frames))
        }
        guard random.chance(percent: 40) else { return nil }
        let last = frames.last { $0.sequence <= durable && $0.records.contains { $0.event.isForgotten } }
        guard let frame = last?.sequence, frame > done else { return nil }
        if try server.erase(through: frame, salt: random.next()) { erased = frame }
        return nil
    }

    /// Decodes everything on a disk, and also searches its bytes.
    private func leaks(
        through frame: UInt64, on disk: SimulatedDisk, _ options: SimulatorOptions, _ frames: [History.Frame]
    ) throws -> [String] {
        let (ledger, now) = (Ledger(of: frames.filter { $0.sequence <= frame }), Ledger(of: frames))
        // Who came back may be on the disk, also if they were deleted again.
        let returned = frames.filter { $0.sequence > frame }.flatMap(\.records).flatMap(\.createdUsers)
        var leaks: [String] = []
        // What was sent again may be on the disk, too.
        for text in ledger.erasedTexts.intersection(now.erasedTexts).sorted() where text.utf8.count >= 10 {
            for file in disk.files where file.bytes.contains(bytes: Array(text.utf8)) {
                leaks.append("\(file.name) has the text \(text)")
            }
        }
        let (found, _) = try SimulatedServer.found(on: disk.killed(), options, frames)
        if let first = found.firstRead, first <= frame { leaks.append("frame \(first) is in the journal") }
        leaks += found.mentions(of: ledger.forgotten.subtracting(returned)).map { "the snapshot names \($0)" }
        return leaks
    }
}

extension Record {
    fileprivate var createdUsers: [UserID] {
        switch event {
        case .userCreated(let created): [created.id]
        case .importAdded(let added): added.records.flatMap(\.createdUsers)
        default: []
        }
    }
}

extension Event {
    fileprivate var isForgotten: Bool { if case .userForgotten = self { true } else { false } }
}

extension Found {
    /// Returns the users whose ids occur in the state.
    fileprivate func mentions(of users: Set<UserID>) -> [UserID] {
        guard !users.isEmpty else { return [] }
        let text = "\(parts)"
        return users.sorted().filter { user in
            text.ranges(of: user.rawValue).contains { range in
                let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
                let after = range.upperBound < text.endIndex ? text[range.upperBound] : " "
                return !before.isLetter && !after.isLetter
            }
        }
    }
}
