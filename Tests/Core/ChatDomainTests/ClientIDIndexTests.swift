import ChatModel
import Testing

@testable import ChatDomain

@Suite struct ClientIDIndexTests {
    private static func message(_ number: UInt64, _ clientID: String?, by sender: UserID?) -> StoredMessage {
        let part = MessagePart(
            id: MessageID(high: 0, low: number), offset: number, createdAt: 0, kind: .text, text: "", sender: sender,
            clientID: clientID, parent: nil, details: nil)
        return StoredMessage(part, parent: nil)
    }

    /// - Parameter modulus: The number of different hashes.
    @Test(arguments: [1, 2, 1_000_000]) func `MS3: client ids with colliding hashes are distinct`(modulus: UInt64) {
        let hash = ClientIDHash(.ofProcess) { sender, clientID, _ in
            clientID.utf8.reduce(UInt64(sender?.rawValue.utf8.count ?? 0)) { $0 &* 31 &+ UInt64($1) } % modulus
        }
        var index = ClientIDIndex(hash)
        var messages = MessageList()
        let senders: [UserID?] = [ann, bob, nil]
        for number in 0..<60 as Range<UInt64> {
            let clientID = number % 4 == 3 ? nil : "c\(number / 3)"
            let sender = senders[Int(number) % 3]
            messages.append(Self.message(number, clientID, by: sender))
            if let clientID { index.insert(messages.count - 1, clientID, of: sender, firstKept: 0) }
        }
        for place in messages.indices {
            let message = messages[place]
            guard let clientID = message.clientID else { continue }
            #expect(index.place(of: clientID, by: message.sender, in: messages) == place)
        }
        #expect(index.place(of: "c1", by: cat, in: messages) == nil)
        #expect(index.place(of: "never", by: ann, in: messages) == nil)
        // The latest message with a client id counts.
        messages.append(Self.message(60, "c0", by: ann))
        index.insert(60, "c0", of: ann, firstKept: 0)
        #expect(index.place(of: "c0", by: ann, in: messages) == 60)
    }

    @Test func `MS3: client ids are compared byte by byte, not by canonical equivalence`() {
        var index = ClientIDIndex()
        var messages = MessageList()
        messages.append(Self.message(1, "e\u{301}", by: ann))
        index.insert(0, "e\u{301}", of: ann, firstKept: 0)
        #expect(index.place(of: "é", by: ann, in: messages) == nil)
        #expect(index.place(of: "e\u{301}", by: ann, in: messages) == 0)
    }
}
