import ChatModel
import TestSupport
import Testing
import WireProtocol

@testable import ChatDomain

/// The alphabetical order of lists.
@Suite struct CollationTests {
    @Test(
        arguments: [
            ["adam", "Émile", "Zoe"], ["Emil", "emile", "Émile", "Emilia"], ["Ärger", "Arzt"], ["Oslo", "Øst", "Ovid"],
            ["Strasse", "Straße", "Strassen"], ["Łódź", "Lublin"], ["Æsop", "Africa"], ["", " a", "1", "a", "b"],
            ["Anna", "Борис", "Яна", "李"], ["ελλάδα", "Έλλη"], ["きく", "ぎく", "くき"], ["éclair", "Zoe"],
            ["cafe\u{301} a", "café b"], ["I\u{307}zmir", "Japan"], ["कमल", "कुमार"],
        ] as [[String]])
    func `names sort alphabetically from any initial order`(names: [String]) {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<10 {
            let sorted = names.shuffled(using: &random)
                .sorted { Collation.key($0).utf8.lexicographicallyPrecedes(Collation.key($1).utf8) }
            #expect(sorted == names)
        }
    }

    @Test func `a sort key is valid text of bounded length for any name`() {
        var random = SeededGenerator(seed: 2)
        var names = [String(repeating: "x", count: 1_000), String(repeating: "\u{1F600}", count: 1_000)]
        names.append(String(repeating: "e\u{301}\u{302}", count: 1_000))
        names.append("a" + String(repeating: "\u{301}", count: 1_000))
        for _ in 0..<1_000 {
            let scalars = (0..<Int.random(in: 0...300, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
            }
            names.append(String(String.UnicodeScalarView(scalars)))
        }
        for name in names { #expect(Collation.key(name).utf8.count <= 2 * Collation.halfBytes + 1) }
        #expect(Collation.key("Ann") == "ann")
        #expect(Collation.key("Émile") == "emile\0émile")
    }

    @Test func `CH12, CH13, US5, ME1: users and channels are listed alphabetically, page by page`() throws {
        let names = ["adam", "Émile", "emile b", "Ødegaard", "Zoe"]
        let people: [UserID] = [eve, cat, ann, dan, bob]
        var chat = Chat(people)
        for (user, name) in zip(people, names) { try chat.run(UpsertUser(id: user, nickname: name), as: .server) }
        for (index, name) in names.enumerated() {
            let id = ChannelID(stringLiteral: "c\(9 - index)")
            try chat.run(CreateChannel(id: id, name: "x", userIDs: people, isPublic: true), as: .server)
            try chat.run(UpdateChannel(channelID: id, name: name), as: .server)
        }
        func all(_ page: (String?) throws -> (names: [String?], next: String?)) throws -> [String?] {
            var (found, next): ([String?], String?) = ([], nil)
            repeat {
                let (names, token) = try page(next)
                found += names
                next = token
            } while next != nil
            return found
        }
        #expect(
            try all { next in
                let page = try chat.ask(ListAllUsers(limit: 1, next: next), as: .server)
                return (page.users.map(\.nickname), page.next)
            } == names)
        #expect(
            try all { next in
                let page = try chat.ask(ListMembers(channelID: "c9", limit: 2, next: next), as: .user(ann))
                return (page.members.map(\.user.nickname), page.next)
            } == names)
        #expect(
            try all { next in
                var list = ListChannels(limit: 1, next: next, order: .name)
                list.includeEmpty = true
                let page = try chat.ask(list, as: .user(ann))
                return (page.channels.map(\.name), page.next)
            } == names)
        #expect(
            try all { next in
                let page = try chat.ask(
                    ListPublicChannels(limit: 1, next: next, order: .name, includeEmpty: true), as: .user(ann))
                return (page.channels.map(\.name), page.next)
            } == names)
    }
}
