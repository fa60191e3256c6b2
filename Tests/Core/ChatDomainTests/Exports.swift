import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// The pages of exports, and a chat to export.
enum Exports {
    static let people = friends + [.guest(1, 2)]
    static let scopes: [ExportScope] = people.map(ExportScope.user) + places.map(ExportScope.channel)

    static func query(_ scope: ExportScope, limit: Int?, next: String?) -> any ExportQuery {
        switch scope {
        case .channel(let id): ExportChannel(channelID: id, limit: limit, next: next)
        case .user(let id): ExportUser(userID: id, limit: limit, next: next)
        case .everything: preconditionFailure("no command exports everything")
        }
    }

    static func context(_ chat: Chat) -> Context {
        Context(caller: .server, now: chat.now, freshID: MessageID(high: 0, low: 0), settings: chat.settings)
    }

    static func page(
        _ chat: Chat, _ scope: ExportScope, limit: Int?, next: String? = nil
    ) throws(Rejection) -> ExportResponse {
        try query(scope, limit: limit, next: next).answer(from: chat.state, context(chat))
    }

    /// Returns the pages to the end.
    ///
    /// - Parameter between: Called before each page but the first.
    static func walk(
        _ chat: inout Chat, _ scope: ExportScope, limit: Int?, between: (inout Chat) throws -> Void = { _ in }
    ) throws -> [ExportResponse] {
        var pages = [try page(chat, scope, limit: limit)]
        while let next = pages.last?.next {
            try between(&chat)
            pages.append(try page(chat, scope, limit: limit, next: next))
        }
        return pages
    }

    static func lines(_ state: ChatState, _ scope: ExportScope) -> [ExportLine] {
        var lines: [ExportLine] = []
        state.export(scope) { line in lines.append(line) }
        return lines + [.end(lines: lines.count)]
    }

    /// Returns a chat with files, threads, sanctions, reports and a guest, in which everybody has done everything.
    static func chat(seed: UInt64, steps: Int = 300) throws -> Chat {
        var chat = Chat(people, seed: seed)
        chat.settings.guests.isEnabled = true
        try chat.live(seed: seed, steps: steps)
        for (number, place) in places.enumerated() {
            for user in friends {
                let id = FileID(high: UInt64(number), low: seed &* user.erasureKey)
                let register = RegisterFile(id: id, channelID: place, name: "f", size: 7, mimeType: "image/png")
                guard (try? chat.run(register, as: .user(user))) != nil, number > 0 else { continue }
                let send = SendMessage(channelID: place, kind: .file, files: [FileReference(id: id)])
                _ = try? chat.run(send, as: .user(user))
            }
            for message in chat.state.channels[place]?.messages.suffix(4) ?? [] where message.parent == nil {
                _ = try? chat.run(
                    UpdateThread(channelID: place, parentMessageID: message.id, title: "\(number)"), as: .server)
            }
        }
        try chat.run(RegisterDevice(provider: .web, token: "zoe's"), as: .user(zoe))
        return chat
    }

    static func refusal(_ chat: Chat, _ scope: ExportScope, _ next: String) -> ErrorCode? {
        do throws(Rejection) {
            _ = try page(chat, scope, limit: nil, next: next)
            return nil
        } catch {
            return error.code
        }
    }
}
