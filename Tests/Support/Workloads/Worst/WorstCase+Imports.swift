import ChatDomain
import ChatModel

extension WorstCase {
    /// The names of the channels that the runs import, in the order in which they are opened.
    private static func channel(_ number: Int) -> ChannelID { Worst.channel("imported", number) }

    private static func channelLine(_ number: Int) -> ImportLine {
        var line = ImportLine(type: "channel")
        line.channel = ImportedChannel(id: channel(number), createdAt: 1)
        line.channel?.isSuper = true
        return line
    }

    private static func memberLine(_ user: UserID, of number: Int) -> ImportLine {
        var line = ImportLine(type: "member")
        line.channelID = channel(number)
        line.member = ImportedMember(user: ImportedUser(id: user))
        return line
    }

    static var imports: [WorstCase] {
        [
            .change("", runs: 1) { _, _ in (BeginImport(importID: "i", source: "s"), nil) },
            .change("a channel and 249 members", runs: 3) { chat, number in
                let people = (1..<FieldLimits.importLinesAtOnce).map { Worst.person($0 % chat.scale.people) }
                let lines = [channelLine(number)] + people.map { memberLine($0, of: number) }
                return (
                    AddImportLines(importID: "i", firstLine: 1 + number * lines.count, lines: lines), nil
                )
            },
            .query("") { _, _ in (GetImportStatus(importID: "i"), nil) },
            .change("3 channels of 249 members", runs: 1) { _, _ in (FinishImport(importID: "i"), nil) },
        ]
    }
}
