import ChatModel

/// The order of users in lists: by group, then by nickname, then by id. The same in every process.
struct NameOrder {
    /// 0 or 1; users in group 0 come first, regardless of their names.
    let group: UInt8
    /// The sort key from `Collation`.
    let name: String
    let id: UserID

    init(_ user: UserState, group: UInt8 = 0) {
        self.group = group
        name = user.sortKey
        id = user.id
    }

    private init(group: UInt8, name: String, id: UserID) {
        self.group = group
        self.name = name
        self.id = id
    }

    static func < (a: Self, b: Self) -> Bool {
        if a.group != b.group { return a.group < b.group }
        let order = ByteOrder.compare(a.name, b.name)
        return order == 0 ? a.id < b.id : order < 0
    }

    static func == (a: Self, b: Self) -> Bool {
        a.group == b.group && a.id == b.id && ByteOrder.areEqual(a.name, b.name)
    }
}

extension NameOrder: ListPlace {
    var size: Int { name.utf8.count + id.rawValue.utf8.count }

    ///     <group>.<name, hexadecimal>.<id, hexadecimal>
    var components: [String] { [String(group), hexadecimal(name), hexadecimal(id.rawValue)] }

    init?(components: [Substring]) {
        guard components.count == 3, let group = UInt8(components[0]), let name = decodeHexadecimal(components[1]),
            let id = decodeHexadecimal(components[2]).flatMap(UserID.init)
        else { return nil }
        self.init(group: group, name: name, id: id)
    }
}

func hexadecimal(_ text: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }
    return String(decoding: bytes, as: UTF8.self)
}

func decodeHexadecimal(_ hexadecimal: Substring) -> String? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in hexadecimal.utf8 {
        guard let digit = digit(character) else { return nil }
        if let first = high {
            bytes.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return high == nil ? String(validating: bytes, as: UTF8.self) : nil
}

private func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
}
