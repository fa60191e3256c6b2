import ChatModel

/// A channel's place in a list, ordered by group, then descending number, then text, then id. Names are ordered by
/// `Collation` and other texts by bytes, so the order is the same in every process.
struct ChannelPlace {
    /// 1 if the channel lacks the value by which the list is sorted, otherwise 0.
    let group: UInt8
    /// The number by which the list is sorted, in descending order.
    let number: Int64
    let text: String
    let id: ChannelID

    static func time(_ number: Int64, _ id: ChannelID) -> Self { Self(group: 0, number: number, text: "", id: id) }

    /// - Parameter text: The text; `nil` sorts after every text.
    static func text(_ text: String?, _ id: ChannelID) -> Self {
        Self(group: text == nil ? 1 : 0, number: 0, text: text ?? "", id: id)
    }

    static func < (a: Self, b: Self) -> Bool {
        if a.group != b.group { return a.group < b.group }
        if a.number != b.number { return a.number > b.number }
        let order = ByteOrder.compare(a.text, b.text)
        return order == 0 ? a.id < b.id : order < 0
    }

    static func == (a: Self, b: Self) -> Bool {
        a.group == b.group && a.number == b.number && a.id == b.id && ByteOrder.areEqual(a.text, b.text)
    }
}

extension ChannelPlace: ListPlace {
    var size: Int { text.utf8.count + id.rawValue.utf8.count }

    ///     <group>.<number, base 36>.<text, hexadecimal>.<id, hexadecimal>
    var components: [String] {
        [String(group), String(number, radix: 36), hexadecimal(text), hexadecimal(id.rawValue)]
    }

    init?(components: [Substring]) {
        guard components.count == 4, let group = UInt8(components[0]), let number = Int64(components[1], radix: 36),
            let text = decodeHexadecimal(components[2]),
            let id = decodeHexadecimal(components[3]).flatMap(ChannelID.init)
        else { return nil }
        self.init(group: group, number: number, text: text, id: id)
    }
}
