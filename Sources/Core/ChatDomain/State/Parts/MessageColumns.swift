import ChatModel

/// Consecutive messages of a channel, with a column for each field, as snapshots and runs store them. A starting server
/// loads millions, so the fields that few messages have take no space where they are missing.
package struct MessageColumns: Equatable, Sendable {
    /// A value of one of the messages.
    package struct Item<Value: Equatable & Sendable>: Equatable, Sendable {
        package let index: Int
        package let value: Value

        package init(_ index: Int, _ value: Value) {
            self.index = index
            self.value = value
        }
    }

    // These columns have a value for each message.
    package var ids: [MessageID] = []
    package var offsets: [UInt64] = []
    package var times: [Int64] = []
    /// 0 for the app itself, n for the n-th name.
    package var senders: [UInt32] = []

    // These columns have a value for each message, or none if all would be as most are.
    package var kinds: [MessageKind] = []
    package var texts: [String] = []
    package var clientIDs: [String?] = []
    package var clientIDHashes: [UInt32?] = []
    /// See `MessagePart.parentPlace`.
    package var parentPlaces: [Int?] = []

    // These columns ascend by index.
    package var parents: [Item<MessageID>] = []
    package var details: [Item<MessagePart.Details>] = []

    /// The distinct senders.
    package var names: [UserID] = []

    package init() {}

    package init(_ parts: some Collection<MessagePart>) {
        ids = parts.map(\.id)
        offsets = parts.map(\.offset)
        times = parts.map(\.createdAt)
        kinds = Self.column(parts.lazy.map(\.kind), unless: .text)
        texts = Self.column(parts.lazy.map(\.text), unless: "")
        clientIDs = Self.column(parts.lazy.map(\.clientID), unless: nil)
        clientIDHashes = Self.column(parts.lazy.map(\.clientIDHash), unless: nil)
        parentPlaces = Self.column(parts.lazy.map(\.parentPlace), unless: nil)
        var numbers: [UserID: UInt32] = [:]
        for (index, part) in parts.enumerated() {
            senders.append(part.sender.map { number(of: $0, &numbers) } ?? 0)
            if let parent = part.parent { parents.append(Item(index, parent)) }
            if let details = part.details { self.details.append(Item(index, details)) }
        }
    }

    private mutating func number(of sender: UserID, _ numbers: inout [UserID: UInt32]) -> UInt32 {
        if let number = numbers[sender] { return number }
        names.append(sender)
        let number = UInt32(clamping: names.count)
        numbers[sender] = number
        return number
    }

    /// Returns the values, or none if all are as most are.
    package static func column<Value: Equatable>(
        _ values: some Collection<Value>, unless usual: Value
    ) -> [Value] { values.allSatisfy { $0 == usual } ? [] : Array(values) }
}

/// The messages one by one.
extension MessageColumns: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { ids.count }

    package subscript(index: Int) -> MessagePart {
        let sender = senders[index]
        var part = MessagePart(
            id: ids[index], offset: offsets[index], createdAt: times[index], kind: kinds.isEmpty ? .text : kinds[index],
            text: texts.isEmpty ? "" : texts[index], sender: sender == 0 ? nil : names[Int(sender) - 1],
            clientID: clientIDs.isEmpty ? nil : clientIDs[index], parent: Self.value(of: index, in: parents),
            details: Self.value(of: index, in: details))
        part.clientIDHash = clientIDHashes.isEmpty ? nil : clientIDHashes[index]
        part.parentPlace = parentPlaces.isEmpty ? nil : parentPlaces[index]
        return part
    }

    private static func value<Value>(of index: Int, in items: [Item<Value>]) -> Value? {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = low + (high - low) / 2
            if items[middle].index < index { low = middle + 1 } else { high = middle }
        }
        return low < items.count && items[low].index == index ? items[low].value : nil
    }
}

/// Finds the items of a column in order.
struct ItemReader {
    private var next = 0

    /// Returns where the item of a message is; `nil` if it has none. The index must be greater than that of the call
    /// before.
    mutating func item<Value>(of index: Int, in items: [MessageColumns.Item<Value>]) -> Int? {
        guard next < items.count, items[next].index == index else { return nil }
        defer { next += 1 }
        return next
    }
}
