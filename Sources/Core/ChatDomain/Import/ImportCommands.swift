import ChatModel

extension ChatState {
    fileprivate func importRun(_ id: String) throws(Rejection) -> ImportRun {
        guard let run = imports[id] else { throw Rejection(.notFound, "import") }
        return run
    }

    fileprivate func importResponse(_ id: String) throws(Rejection) -> ImportResponse {
        ImportResponse(import: try importRun(id).view)
    }
}

extension BeginImport: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        // Both have the form of channel ids.
        guard ChannelID(importID) != nil else {
            throw Rejection(.invalidValue, "import_id: must match [A-Za-z0-9_.~-]{1,100}")
        }
        guard ChannelID(source) != nil else {
            throw Rejection(.invalidValue, "source: must match [A-Za-z0-9_.~-]{1,100}")
        }
        if let run = state.imports[importID] {
            guard run.source == source else {
                throw Rejection(.invalidValue, "source: the import with this id has another")
            }
            return Decision([])
        }
        guard state.imports.activeCount < FieldLimits.importsAtOnce else {
            let active = state.imports.runs.filter { !$0.hasEnded }.map(\.id).joined(separator: ", ")
            throw Rejection(.tooMany, "imports: at most \(FieldLimits.importsAtOnce) at once, now \(active)")
        }
        return Decision([.importStarted(Event.ImportStarted(id: importID, source: source))])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ImportResponse { try state.importResponse(importID) }
}

extension AddImportLines: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let run = try state.importRun(importID)
        guard run.stage == .running else {
            throw Rejection(.invalidValue, "import_id: the import is \(run.stage.rawValue)")
        }
        guard !lines.isEmpty else { throw Rejection(.invalidValue, "lines: must not be empty") }
        guard lines.count <= FieldLimits.importLinesAtOnce else {
            throw Rejection(.tooMany, "lines: at most \(FieldLimits.importLinesAtOnce)")
        }
        guard (1...FieldLimits.importLines).contains(firstLine),
            firstLine + lines.count - 1 <= FieldLimits.importLines
        else {
            throw Rejection(.invalidValue, "first_line: an import has lines 1 to \(FieldLimits.importLines)")
        }
        guard firstLine - 1 <= run.lastLine else {
            throw Rejection(.invalidValue, "first_line: must be at most \(run.lastLine + 1), the next line")
        }
        let lastLine = firstLine + lines.count - 1
        guard lastLine > run.lastLine else { return Decision([]) }
        var draft = ImportDraft(run, state, context)
        for (number, line) in zip(firstLine..., lines) where number > run.lastLine {
            do throws(Rejection) {
                try draft.add(line)
            } catch {
                throw Rejection(error.code, "line \(number)" + (error.detail.map { ": " + $0 } ?? ""))
            }
        }
        return draft.decision(lastLine: lastLine)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ImportResponse { try state.importResponse(importID) }
}

extension FinishImport: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let run = try state.importRun(importID)
        let discards = discard ?? false
        switch run.stage {
        case .running: break
        case .finishing, .finished:
            guard !discards else { throw Rejection(.invalidValue, "discard: the import is \(run.stage.rawValue)") }
        case .discarding, .discarded:
            guard discards else { throw Rejection(.invalidValue, "import_id: the import is \(run.stage.rawValue)") }
        }
        if run.hasEnded { return Decision([]) }
        let next = run.channels.keys.least(FieldLimits.channelsSettledAtOnce) { $0 < $1 }
        var settled = Event.ImportSettled(id: importID, opened: [], discarded: [], discards: discards, isLast: false)
        if discards {
            settled.discarded = next
        } else {
            settled.opened = opened(next, of: run, in: state, context)
        }
        settled.isLast = settled.opened.count + settled.discarded.count == run.channels.count
        return Decision([.importSettled(settled)])
    }

    /// Returns the first of the channels, as many as have about as many members as one call may subscribe.
    private func opened(
        _ channels: [ChannelID], of run: ImportRun, in state: ChatState, _ context: Context
    ) -> [Event.ImportSettled.Opened] {
        var opened: [Event.ImportSettled.Opened] = []
        var keys: Set<DistinctKey> = []
        var memberships = 0
        for id in channels {
            guard memberships < FieldLimits.membershipsSettledAtOnce else { break }
            guard let channel = run.channels[id]?.state else { continue }
            memberships += channel.members.count
            var key = channel.distinctKey.map { _ in
                DistinctKey(
                    members: Set(channel.members.ids + channel.invitations.keys),
                    customType: context.settings.distinctByCustomType ? channel.customType : nil)
            }
            // Another channel already has these members.
            if let wanted = key, state.distinctChannels[wanted] != nil || !keys.insert(wanted).inserted { key = nil }
            opened.append(Event.ImportSettled.Opened(channel: id, distinctKey: key))
        }
        return opened
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ImportResponse { try state.importResponse(importID) }
}

extension GetImportStatus: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> ImportResponse {
        try state.importResponse(importID)
    }
}
