import ChatModel

extension ChatState {
    /// Emits the whole state in pieces, in an order that is the same in every process. Only one piece is in memory at a
    /// time, and every piece stays within the limits.
    ///
    /// - Parameter history: Where to store messages and their bodies; `nil` to emit them as well.
    package func parts<Failure: Error>(
        _ limits: PieceLimits = PieceLimits(), storing history: HistoryStore<Failure>? = nil,
        _ body: (StatePart) throws(Failure) -> Void
    ) throws(Failure) {
        try appParts(limits, hashKey: history == nil ? nil : clientIDHash.key, body)
        try users.keys.sorted().lazy.compactMap { self.users[$0]?.part }.inPieces(limits) { part throws(Failure) in
            try body(.users(part))
        }
        try erased.all.inPieces(limits) { part throws(Failure) in try body(.erased(part)) }
        try moderation.bans.parts(at: lastAt).inPieces(limits) { parts throws(Failure) in
            try body(.appSanctions(AppSanctionsPart(bans: parts)))
        }
        try moderation.mutes.parts(at: lastAt).inPieces(limits) { parts throws(Failure) in
            try body(.appSanctions(AppSanctionsPart(mutes: parts)))
        }
        try blockLists.parts.inPieces(limits) { parts throws(Failure) in try body(.blockLists(parts)) }
        try moderation.log.parts(of: nil).inPieces(limits) { parts throws(Failure) in try body(.moderationLog(parts)) }
        try roles.parts.inPieces(limits) { parts throws(Failure) in try body(.roles(parts)) }
        try textRules.sorted.inPieces(limits) { rules throws(Failure) in try body(.textRules(rules)) }
        try files.parts.inPieces(limits) { part throws(Failure) in try body(.files(part)) }
        try reports.places.lazy.compactMap { self.reports[$0.id] }.compactMap(ReportPart.init).inPieces(limits) {
            part throws(Failure) in
            try body(.reports(part))
        }
        for id in channels.keys.sorted() { try channels[id]?.parts(at: lastAt, limits, history, body) }
        try imports.runs.map(\.part).inPieces(limits) { part throws(Failure) in try body(.imports(part)) }
        for run in imports.runs {
            for id in run.channels.keys.sorted() {
                try run.channels[id]?.state.parts(at: lastAt, limits, history, importID: run.id, body)
            }
        }
    }

    private func appParts<Failure: Error>(
        _ limits: PieceLimits, hashKey: HashKey?, _ body: (StatePart) throws(Failure) -> Void
    ) throws(Failure) {
        // Webhooks and settings are few and bounded.
        var app: AppPart? = AppPart(lastAt: lastAt, emojis: [], webhooks: webhooks, overrides: overrides)
        app?.hook = hook
        app?.hashKey = hashKey
        var limits = limits
        limits.bytes -= min(limits.bytes / 4, 131_072)
        try emojis.emojis.inPieces(limits) { emojis throws(Failure) in
            if var first = app {
                first.emojis = emojis
                app = nil
                try body(.app(first))
            } else {
                try body(.emojis(emojis))
            }
        }
        if let app { try body(.app(app)) }
    }
}

extension ChannelState {
    /// - Parameters:
    ///   - now: The current time; expired sanctions are omitted.
    ///   - history: Where to store the messages; `nil` to emit them as well.
    ///   - importID: The import that hides the channel; `nil` for an open one.
    fileprivate func parts<Failure: Error>(
        at now: Int64, _ limits: PieceLimits, _ history: HistoryStore<Failure>?, importID: String? = nil,
        _ body: (StatePart) throws(Failure) -> Void
    ) throws(Failure) {
        var head = head
        head.importID = importID
        if history != nil { head.shift = messages.nextShift }
        try headParts(head, at: now, limits, body)
        try moderationLog.parts(of: id).inPieces(limits) { parts throws(Failure) in try body(.moderationLog(parts)) }
        let members = members.all
        try members.keys.sorted().lazy.compactMap { self.memberPart(of: $0, limits) }.inPieces(limits) {
            parts throws(Failure) in try body(.members(id, parts))
        }
        for user in members.keys.sorted() {
            guard let marks = members[user]?.threadMarks, marks.count > limits.inlineMarks else { continue }
            try marks.keys.sorted().lazy.compactMap { parent in
                marks[parent].map { MemberPart.ThreadMark(parent: parent, upTo: $0) }
            }.inPieces(limits) { marks throws(Failure) in try body(.threadMarks(id, user, marks)) }
        }
        try messageParts(limits, history, body)
    }

    private func messageParts<Failure: Error>(
        _ limits: PieceLimits, _ history: HistoryStore<Failure>?, _ body: (StatePart) throws(Failure) -> Void
    ) throws(Failure) {
        guard let history else {
            let places = messages.keptIndices
            try places.lazy.map { self.messagePart($0, limits) }.inPieces(limits) { parts throws(Failure) in
                try body(.messages(id, MessageColumns(parts)))
            }
            return try largeReactions(places, limits, body)
        }
        try storeBodies(in: history).inPieces(limits) { parts throws(Failure) in try body(.blocks(id, parts)) }
        let (runs, places) = try storeRuns(in: history, limits)
        var first = 0
        var runLimits = limits
        runLimits.count = min(limits.count, limits.runs)
        try runs.inPieces(runLimits) { runs throws(Failure) in
            try body(.runs(id, first: first, runs))
            first += runs.reduce(0) { $0 + $1.count }
        }
        let hashes = clientIDHashes(places)
        try places.lazy.map { self.messagePart($0, limits, clientIDHash: hashes[$0 - places.lowerBound]) }
            .inPieces(limits) { parts throws(Failure) in
                try body(.messages(id, MessageColumns(parts)))
            }
        try largeReactions(places, limits, body)
    }

    /// Emits the channel with as many members and threads as fit, followed by the others.
    private func headParts<Failure: Error>(
        _ head: ChannelPart, at now: Int64, _ limits: PieceLimits, _ body: (StatePart) throws(Failure) -> Void
    ) throws(Failure) {
        var first: ChannelPart? = head
        var piece = ChannelMorePart()
        var bytes = PieceWeight.envelope + head.weight
        var count = 0
        func end() throws(Failure) {
            if var whole = first {
                (whole.invitations, whole.bans) = (piece.invitations, piece.bans)
                (whole.mutes, whole.threads) = (piece.mutes, piece.threads)
                whole.senders = piece.senders
                first = nil
                try body(.channel(whole))
            } else if !piece.isEmpty {
                try body(.channelMore(id, piece))
            }
            piece = ChannelMorePart()
            bytes = PieceWeight.envelope
            count = 0
        }
        func add<Part: Weighed>(
            _ part: Part, to list: WritableKeyPath<ChannelMorePart, [Part]>
        ) throws(Failure) {
            let weight = part.weight
            if bytes + weight > limits.bytes || count >= limits.count { try end() }
            piece[keyPath: list].append(part)
            bytes += weight
            count += 1
        }
        for user in invitations.keys.sorted() {
            if let invitation = invitations[user] { try add(InvitationPart(user, invitation), to: \.invitations) }
        }
        for part in bans.parts(at: now) { try add(part, to: \.bans) }
        for part in mutes.parts(at: now) { try add(part, to: \.mutes) }
        for part in threadParts { try add(part, to: \.threads) }
        if let slowMode { for part in slowMode.parts(at: now) { try add(part, to: \.senders) } }
        try end()
    }
}
