import ChatModel
import Testing

@testable import ChatDomain

@Suite struct ModerationLogTests {
    private func log(_ chat: Chat, as caller: Caller = .user(ann), in channel: ChannelID = general) throws -> [String] {
        var chat = chat
        return try chat.ask(ListMemberModeration(channelID: channel, limit: 100), as: caller).entries.map(\.summary)
    }

    @Test func `MO6: operators see who moderated whom in their channel, newest first`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let theirs = try chat.say("bad", by: bob)
        let own = try chat.say("typo", by: ann)
        try chat.run(DeleteMessage(channelID: general, messageID: own.id), as: .user(ann))
        try chat.run(UpdateMessage(channelID: general, messageID: theirs.id, text: "good"), as: .user(ann))
        try chat.run(DeleteMessage(channelID: general, messageID: theirs.id), as: .user(ann))
        try chat.run(MuteMember(channelID: general, userID: bob, seconds: 5, description: "loud"), as: .user(ann))
        let end = chat.now + 5_000
        try chat.run(UnmuteMember(channelID: general, userID: bob), as: .user(ann))
        try chat.run(FreezeChannel(channelID: general), as: .user(ann))
        try chat.run(UnfreezeChannel(channelID: general), as: .user(ann))
        try chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .user(ann))
        try chat.run(RemoveOperators(channelID: general, userIDs: [bob]), as: .user(ann))
        try chat.run(RemoveMember(channelID: general, userID: bob), as: .user(ann))
        try chat.run(BanMember(channelID: general, userID: cat), as: .user(ann))
        try chat.run(UnbanMember(channelID: general, userID: cat), as: .user(ann))
        #expect(
            try log(chat).reversed() == [
                "ann message.update bob", "ann message.delete bob", "ann member.mute bob \(end) loud",
                "ann member.unmute bob", "ann channel.freeze -", "ann channel.unfreeze -", "ann operator.add bob",
                "ann operator.remove bob", "ann member.remove bob", "ann member.ban cat \(Sanction.endless)",
                "ann member.unban cat",
            ])
        #expect(try chat.ask(ListAppModeration(), as: .server).entries.isEmpty)
    }

    @Test func `MO6: only operators and the server see the log of a channel`() throws {
        var chat = Chat()
        try chat.createGoverned(isPublic: true)
        let list = ListMemberModeration(channelID: general)
        #expect(chat.refusal(of: list, as: .user(bob)) == .notAnOperator)
        #expect(chat.refusal(of: list, as: .user(dan)) == .notAMember)
        #expect(chat.refusal(of: list, as: .server) == nil)
        #expect(chat.refusal(of: ListMemberModeration(channelID: "nowhere"), as: .server) == .notFound)
    }

    @Test func `MO6: the app's log has what the server did, in the whole app and in channels`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let message = try chat.say("bad", by: bob)
        let report = try chat.run(
            CreateReport(category: .spam, channelID: general, messageID: message.id), as: .user(cat)
        ).report
        try chat.run(DeleteMessage(channelID: general, messageID: message.id), as: .server)
        try chat.run(MuteMember(channelID: general, userID: bob), as: .server)
        try chat.run(BanUser(userID: bob, seconds: 1, description: "spam"), as: .server)
        let end = chat.now + 1_000
        try chat.run(DeactivateUser(userID: bob), as: .server)
        try chat.run(ActivateUser(userID: bob), as: .server)
        try chat.run(ResolveReport(reportID: report.id, note: "banned"), as: .server)
        try chat.run(DeleteReport(reportID: report.id), as: .server)
        let entries = try chat.ask(ListAppModeration(), as: .server).entries
        #expect(
            entries.reversed().map(\.summary) == [
                "- message.delete bob", "- member.mute bob \(Sanction.endless)", "- app.ban bob \(end) spam",
                "- user.deactivate bob", "- user.activate bob", "- report.resolve bob banned", "- report.delete -",
            ])
        #expect(entries[1].reportID == report.id && entries.last?.channelID == general)
        #expect(entries.last?.messageID == message.id)
        #expect(try log(chat) == ["- member.mute bob \(Sanction.endless)", "- message.delete bob"])
    }

    @Test func `MO6: the logs have slow mode, disconnects, and changes of rules, roles, the hook and settings`() throws
    {
        var chat = Chat()
        try chat.createGoverned()
        try chat.run(UpdateChannel(channelID: general, name: "Tea"), as: .user(ann))
        try chat.run(UpdateChannel(channelID: general, slowModeSeconds: 30), as: .user(ann))
        try chat.run(UpdateChannel(channelID: general, slowModeSeconds: 30), as: .user(ann))
        try chat.run(UpdateChannel(channelID: general, slowModeSeconds: 0), as: .server)
        try chat.run(DisconnectUser(userID: bob), as: .server)
        let rules = ["a", "b"].map { TextRuleDefinition(id: $0, words: ["word"], action: .refuse) }
        try chat.run(SetTextRules(rules: rules), as: .server)
        try chat.run(DeleteTextRules(ids: ["b", "never"]), as: .server)
        try chat.run(SetRole(customType: "team", role: .member, permissions: [.send]), as: .server)
        try chat.run(
            SetHook(url: "https://example.com/hook", secret: String(repeating: "k", count: 24), onFailure: .allow),
            as: .server)
        try chat.run(SetHook(url: nil), as: .server)
        var values = SettingValues()
        (values.userSearch, values.channelsPerUser) = (true, 77)
        try chat.run(UpdateSettings(values), as: .server)
        #expect(
            try chat.ask(ListAppModeration(), as: .server).entries.reversed().map(\.summary) == [
                "- channel.update - slow_mode_seconds 0", "- user.disconnect bob", "- text_rule.set - a, b",
                "- text_rule.delete - b", "- role.set - member of team", "- hook.set -", "- hook.set - removed",
                "- settings.update - channels_per_user, user_search",
            ])
        #expect(
            try log(chat).reversed() == [
                "ann channel.update - slow_mode_seconds 30", "- channel.update - slow_mode_seconds 0",
            ])
        #expect(chat.refusal(of: DisconnectUser(userID: "nobody"), as: .server) == .notFound)
    }

    @Test func `MO6: what does not fit the description of an action is counted`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let rules = (0..<250).map {
            TextRuleDefinition(id: "rule-\($0)-of-a-long-name", words: ["word\($0)"], action: .refuse)
        }
        try chat.run(SetTextRules(rules: rules), as: .server)
        let text = try #require(try chat.ask(ListAppModeration(), as: .server).entries.first?.description)
        #expect(text.utf8.count <= FieldLimits.descriptionBytes)
        let listed = text.split(separator: ", ").count
        #expect(listed > 30)
        #expect(text.hasSuffix("rule-\(listed - 1)-of-a-long-name and \(250 - listed) more"))
    }

    @Test func `MO6 MT9: the log contains neither messages that expire nor guests who leave`() throws {
        var chat = Chat()
        try chat.createGoverned(isPublic: true)
        try chat.run(SendMessage(channelID: general, text: "x", expiresInSeconds: 1), as: .user(bob))
        #expect(chat.pass(seconds: 1) == 1)
        try chat.run(LeaveChannel(channelID: general), as: .user(cat))
        let guest = UserID.guest(1, 2)
        chat.settings.guests.isEnabled = true
        chat.settings.guests.awaySeconds = 100
        try chat.run(AdmitGuest(id: guest, nickname: nil), as: .server)
        try chat.run(JoinChannel(channelID: general), as: .user(guest))
        chat.pass(seconds: 101)
        while chat.lookAtGuests() {}
        #expect(!chat.state.knows(guest))
        #expect(try chat.ask(ListAppModeration(), as: .server).entries.isEmpty)
        #expect(try log(chat).isEmpty)
    }

    @Test func `MO6: the log is paged, bounded, and kept by a snapshot with its tokens`() throws {
        var chat = Chat()
        try chat.createGoverned()
        for _ in 0..<400 {
            try chat.run(MuteMember(channelID: general, userID: bob), as: .user(ann))
            try chat.run(UnmuteMember(channelID: general, userID: bob), as: .user(ann))
        }
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        var pages: [[ModerationEntry]] = []
        var next: String?
        let context = Context(
            caller: .server, now: chat.now, freshID: MessageID(high: 1, low: 1), settings: chat.settings)
        repeat {
            let query = ListMemberModeration(channelID: general, limit: 100, next: next)
            let page = try chat.ask(query, as: .user(ann))
            #expect(try query.answer(from: loaded, context) == page)
            pages.append(page.entries)
            next = page.next
        } while next != nil
        let all = pages.flatMap(\.self)
        #expect(all.count >= 500 && all.count <= 625 && pages.dropLast().allSatisfy { $0.count == 100 })
        #expect(all.map(\.at) == all.map(\.at).sorted(by: >))
        let token = try #require(
            try chat.ask(ListMemberModeration(channelID: general, limit: 1), as: .user(ann)).next)
        #expect(chat.refusal(of: ListAppModeration(next: token), as: .server) == .badRequest)
        #expect(chat.refusal(of: ListAppModeration(limit: 0), as: .server) == .invalidValue)
    }

    @Test func `MO6 PR1: the logs name a deleted user's alias, without descriptions about the user`() throws {
        var chat = Chat()
        try chat.createGoverned()
        try chat.run(AddOperators(channelID: general, userIDs: [cat]), as: .user(ann))
        try chat.run(MuteMember(channelID: general, userID: bob, description: "about bob"), as: .user(cat))
        try chat.run(MuteUser(userID: bob, description: "about bob"), as: .server)
        for user in [bob, cat] { try chat.erase(user) }
        let entries =
            try chat.ask(ListMemberModeration(channelID: general), as: .user(ann)).entries
            + chat.ask(ListAppModeration(), as: .server).entries
        #expect(entries.count == 3 && !"\(entries)".contains("about bob"))
        #expect(entries.allSatisfy { $0.userID?.isDeleted ?? false })
        #expect(entries.first { $0.action == "member.mute" }?.by?.isDeleted == true)
    }

    @Test func `MO6 PR1: a note about a report goes with the user whom the report is about`() throws {
        for target in [CreateReport(category: .spam, userID: bob), CreateReport(category: .spam, channelID: general)] {
            var chat = Chat()
            try chat.createGoverned()
            let report = try chat.run(target, as: .user(ann)).report
            try chat.run(ResolveReport(reportID: report.id, note: "bob again"), as: .server)
            try chat.erase(bob)
            let entry = try #require(try chat.ask(ListAppModeration(), as: .server).entries.first)
            #expect(entry.description == (target.userID == nil ? "bob again" : nil))
            #expect(entry.userID?.isDeleted == (target.userID == nil ? nil : true))
        }
    }

    @Test func `MO6 PR1: what the server does to a user while they are deleted names the alias in the end`() throws {
        var chat = Chat()
        try chat.createGoverned()
        try chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .server)
        try chat.run(DeleteUser(userID: bob), as: .server)
        try chat.run(RemoveAllOperators(channelID: general), as: .server)
        chat.finishErasures()
        let entries = try chat.ask(ListAppModeration(), as: .server).entries
        #expect(entries.contains { $0.action == "operator.remove" })
        #expect(!entries.contains { $0.userID == bob })
    }
}

@Suite struct ReportDecisionTests {
    private func begin() throws -> (Chat, Report) {
        var chat = Chat()
        try chat.createGoverned()
        let report = try chat.run(CreateReport(category: .spam, userID: bob), as: .user(cat)).report
        return (chat, report)
    }

    @Test func `ME5: a report is open until it is resolved or dismissed, with a note`() throws {
        var (chat, report) = try begin()
        let other = try chat.run(CreateReport(category: .harassing, userID: bob), as: .user(cat)).report
        #expect(report.state == .open && report.settledAt == nil)
        let resolved = try chat.run(ResolveReport(reportID: report.id, note: "muted"), as: .server).report
        #expect(resolved.state == .resolved && resolved.note == "muted" && resolved.settledAt == chat.now)
        try chat.run(ResolveReport(reportID: report.id, note: "muted"), as: .server)
        #expect(chat.lastRecords.isEmpty)
        func listed(_ state: ReportState?) throws -> [String] {
            try chat.ask(ListReports(state: state), as: .server).reports.map(\.id)
        }
        #expect(try listed(.open) == [other.id] && listed(.resolved) == [report.id] && listed(.dismissed) == [])
        let dismissed = try chat.run(DismissReport(reportID: report.id), as: .server).report
        #expect(dismissed.state == .dismissed && dismissed.note == nil)
        #expect(try listed(.dismissed) == [report.id] && listed(nil) == [other.id, report.id])
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        for state in [chat.replayed, loaded] {
            #expect(state.reports[try #require(MessageID(report.id))] == dismissed)
            #expect(state.reports.places(in: .open).count == 1)
        }
    }

    @Test(arguments: [0, 1, 90])
    func `ME5 MO6: a decided report goes after its time, also after a restart, and an open one stays`(days: Int) throws
    {
        var chat = Chat()
        chat.settings.settledReportDays = days
        try chat.createGoverned()
        let reports = try [ann, bob, cat].map {
            try chat.run(CreateReport(category: .spam, channelID: general), as: .user($0)).report.id
        }
        try chat.run(ResolveReport(reportID: reports[0]), as: .server)
        let first = chat.now
        chat.pass(seconds: 3_600)
        try chat.run(DismissReport(reportID: reports[1]), as: .server)
        func left() throws -> [String] { try chat.ask(ListReports(), as: .server).reports.map(\.id).reversed() }
        guard days > 0 else {
            chat.pass(seconds: 36_500 * 86_400)
            return #expect(try left() == reports)
        }
        chat.now = first + Int64(days) * 86_400_000 - 1
        chat.pass(seconds: 0)
        #expect(try left() == reports)
        try chat.restart()
        chat.deadlines = Deadlines(of: chat.state, chat.settings)
        chat.now += 1
        chat.pass(seconds: 0)
        #expect(try left() == [reports[1], reports[2]])
        chat.pass(seconds: 3_601)
        #expect(try left() == [reports[2]])
        // The app's log says who decided, not what time did.
        let actions = try chat.ask(ListAppModeration(), as: .server).entries.map(\.action)
        #expect(actions == ["report.dismiss", "report.resolve"])
    }

    @Test func `ME5: what was decided can be reported again, and a deleted report is gone`() throws {
        var (chat, report) = try begin()
        let again = CreateReport(category: .spam, userID: bob)
        #expect(try chat.run(again, as: .user(cat)).report.id == report.id)
        try chat.run(DismissReport(reportID: report.id), as: .server)
        let second = try chat.run(again, as: .user(cat)).report
        #expect(second.id != report.id)
        #expect(try chat.run(DeleteReport(reportID: report.id), as: .server).reportID == report.id)
        #expect(try chat.ask(ListReports(), as: .server).reports == [second])
        #expect(try chat.run(again, as: .user(cat)).report == second)
        #expect(chat.refusal(of: DeleteReport(reportID: report.id), as: .server) == .notFound)
        #expect(chat.refusal(of: ResolveReport(reportID: "x"), as: .server) == .notFound)
        let long = String(repeating: "x", count: 1_025)
        #expect(chat.refusal(of: ResolveReport(reportID: second.id, note: long), as: .server) == .tooLong)
    }

    @Test func `ME5: webhooks are told of a report and of the decision, and nobody else is`() throws {
        var (chat, report) = try begin()
        func told() -> [(TypedEvent, String)] {
            chat.lastEffects.compactMap { if case .notify(let event, let id) = $0 { (event, id) } else { nil } }
        }
        let created = try #require(told().first)
        #expect(created.0.type == .reportCreated && created.0.report == report && created.0.by == cat)
        try chat.run(ResolveReport(reportID: report.id, note: "muted"), as: .server)
        let resolved = try #require(told().first)
        #expect(resolved.0.type == .reportResolved && resolved.0.report?.note == "muted" && resolved.1 != created.1)
        #expect(
            [ann, bob, cat].allSatisfy { user in
                !chat.heard(by: user).contains { [.reportCreated, .reportResolved].contains($0.event.type) }
            })
    }
}

extension ModerationEntry {
    fileprivate var summary: String {
        let words = [by?.rawValue ?? "-", action, userID?.rawValue ?? "-", until.map(String.init), description]
        return words.compactMap(\.self).joined(separator: " ")
    }
}
