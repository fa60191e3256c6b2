import ChatModel

extension ResolveReport: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try state.settling(reportID, .resolved, note)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ReportResponse { ReportResponse(report: try state.report(reportID)) }
}

extension DismissReport: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try state.settling(reportID, .dismissed, note)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ReportResponse { ReportResponse(report: try state.report(reportID)) }
}

extension DeleteReport: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let report = try state.report(reportID)
        return Decision(MessageID(report.id).map { [.reportDeleted($0)] } ?? [])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response { Response(reportID: reportID) }
}

extension ChatState {
    fileprivate func report(_ id: String) throws(Rejection) -> Report {
        guard let report = MessageID(id).flatMap({ reports[$0] }) else { throw Rejection(.notFound, "report") }
        return report
    }

    fileprivate func settling(_ id: String, _ state: ReportState, _ note: String?) throws(Rejection) -> Decision {
        try FieldChecks.bytes(note, "note", atMost: FieldLimits.descriptionBytes)
        let report = try report(id)
        guard let id = MessageID(report.id), report.state != state || !isSameText(report.note, note) else {
            return Decision([])
        }
        return Decision([.reportSettled(Event.ReportSettled(id: id, state: state, note: note))])
    }
}
