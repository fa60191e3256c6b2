import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// Who may export, and where the tokens of pages lead.
@Suite struct ExportTokenTests {
    @Test func `PR2: an altered token, and that of another export, is refused with 107`() throws {
        let chat = try Exports.chat(seed: 1)
        var random = SeededGenerator(seed: 1)
        var (next, tokens): (String?, [String]) = (nil, [])
        repeat {
            next = try Exports.page(chat, .user(ann), limit: 3, next: next).next
            if let next { tokens.append(next) }
        } while next != nil
        #expect(tokens.count > 5)
        for token in tokens {
            for other in [ExportScope.user(bob), .channel("c1")] {
                #expect(throws: Rejection.self) { try Exports.page(chat, other, limit: 20, next: token) }
            }
            for _ in 0..<40 {
                var characters = Array(token)
                let index = Int.random(in: characters.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: characters.remove(at: index)
                case 1: characters.insert(random.pick(Array("0az.-+é")), at: index)
                default: characters[index] = random.pick(Array("0az.-+é"))
                }
                let altered = String(characters)
                guard altered != token else { continue }
                #expect(Exports.refusal(chat, .user(ann), altered) == .badRequest, "\(altered)")
            }
        }
        for text in [
            "", "1", "1.......", String(repeating: ".", count: 10_000), "2" + (tokens.first ?? "").dropFirst(),
        ] {
            #expect(Exports.refusal(chat, .user(ann), text) == .badRequest)
        }
    }

    /// The check in a token is no secret.
    @Test func `PR2: a forged token leads nowhere but to what the export contains`() throws {
        let chat = try Exports.chat(seed: 2)
        let caller = Exports.context(chat)
        let ofAnn = try ExportUser(userID: ann).subject(in: chat.state, caller)
        for stage in [ExportStage.users, .emojis, .members, .threads, .reads] {
            let place = ExportPlace(stage: stage, channel: "c1")
            let token = ExportToken(place: place, lines: 0).text(for: ofAnn)
            #expect(Exports.refusal(chat, .user(ann), token) == .badRequest, "\(stage)")
        }
        let ofChannel = try ExportChannel(channelID: "c1").subject(in: chat.state, caller)
        for channel in ["c2", nil] as [ChannelID?] {
            let token = ExportToken(place: ExportPlace(stage: .messages, channel: channel), lines: 0).text(
                for: ofChannel)
            #expect(Exports.refusal(chat, .channel("c1"), token) == .badRequest)
        }
        var random = SeededGenerator(seed: 2)
        let stages: [ExportStage] = [.export, .user, .files, .reports, .channel, .membership, .bans, .messages, .ended]
        for _ in 0..<200 {
            let channel = random.pick(places + ["nowhere"])
            let place = ExportPlace(
                stage: random.pick(stages), channel: random.chance(percent: 80) ? channel : nil,
                key: random.text(upTo: 5), offset: random.next() >> random.pick([0, 32, 60]), reaction: random.next())
            let token = ExportToken(place: place, lines: .max).text(for: ofAnn)
            let page = try Exports.page(chat, .user(ann), limit: 1_000, next: token)
            #expect(page.lines.allSatisfy { $0.message?.user?.id ?? ann == ann && $0.member == nil })
        }
    }

    @Test func `PR2: a channel created again with the same id does not continue an export of the first one`() throws {
        var chat = Chat()
        try chat.create()
        for number in 0..<5 { try chat.say("\(number)") }
        let next = try #require(try Exports.page(chat, .channel(general), limit: 4).next)
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(Exports.refusal(chat, .channel(general), next) == .notFound)
        try chat.create()
        #expect(Exports.refusal(chat, .channel(general), next) == .badRequest)
    }

    @Test func `PR2: users export themselves only if a setting allows it, and nobody else`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        #expect(chat.refusal(of: ExportUser(userID: ann), as: .user(ann)) == .serverOnly)
        chat.settings.exportsOwnData = true
        #expect(chat.refusal(of: ExportUser(userID: ann), as: .user(ann)) == nil)
        #expect(chat.refusal(of: ExportUser(userID: bob), as: .user(ann)) == .serverOnly)
        #expect(chat.refusal(of: ExportUser(userID: "nobody"), as: .user(ann)) == .serverOnly)
        let next = try chat.ask(ExportUser(userID: ann, limit: 1), as: .server).next
        #expect(chat.refusal(of: ExportUser(userID: ann, next: next), as: .user(ann)) == nil)
        chat.settings.exportsOwnData = false
        #expect(chat.refusal(of: ExportUser(userID: ann, next: next), as: .user(ann)) == .serverOnly)
    }

    @Test func `PR2: unknown and deleted users, unknown channels and limits out of range are refused`() throws {
        var chat = Chat()
        #expect(chat.refusal(of: ExportUser(userID: "nobody"), as: .server) == .notFound)
        #expect(chat.refusal(of: ExportChannel(channelID: "nowhere"), as: .server) == .notFound)
        try chat.create()
        for (limit, code) in [(0, .invalidValue), (1, nil), (1_000, nil), (1_001, .invalidValue)] as [(Int, ErrorCode?)]
        {
            #expect(chat.refusal(of: ExportUser(userID: ann, limit: limit), as: .server) == code)
            #expect(chat.refusal(of: ExportChannel(channelID: general, limit: limit), as: .server) == code)
        }
        let next = try chat.ask(ExportUser(userID: bob, limit: 1), as: .server).next
        try chat.run(DeleteUser(userID: bob), as: .server)
        for request in [ExportUser(userID: bob), ExportUser(userID: bob, next: next)] {
            #expect(chat.refusal(of: request, as: .server) == .notFound)
        }
        chat.finishErasures()
        chat.meet(bob)
        #expect(chat.refusal(of: ExportUser(userID: bob, next: next), as: .server) == .badRequest)
    }
}
