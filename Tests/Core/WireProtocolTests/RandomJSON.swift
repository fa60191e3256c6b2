import TestSupport

/// Random JSON texts with all the freedom of RFC 8259: whitespace anywhere, any escape, any number format.
struct RandomJSON {
    var random: SeededGenerator

    mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return ["true", "false", "null"].randomElement(using: &random) ?? "null"
        case 1, 2: return number()
        case 3, 4: return string()
        case 5: return array(depth: depth - 1)
        default: return object(depth: depth - 1)
        }
    }

    mutating func object(depth: Int) -> String {
        var members: [String] = []
        for index in 0..<Int.random(in: 0...4, using: &random) {
            // The index keeps keys distinct, because another test covers duplicates.
            let key = "\"\(index)" + string().dropFirst()
            members.append(space() + key + space() + ":" + space() + value(depth: depth) + space())
        }
        return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
    }

    private mutating func array(depth: Int) -> String {
        var elements: [String] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) { elements.append(space() + value(depth: depth) + space()) }
        return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
    }

    private mutating func space() -> String {
        random.chance(3) ? [" ", "\n", "\r", "\t", "\r\n  "].randomElement(using: &random) ?? "" : ""
    }

    private mutating func number() -> String {
        var text = random.chance(3) ? "-" : ""
        text +=
            random.chance(4)
            ? "0" : String(UInt64.random(in: 1...(.max), using: &random) >> UInt64.random(in: 0...63, using: &random))
        if random.chance(3) { text += "." + String(UInt32.random(in: 0...(.max), using: &random)) }
        if random.chance(4) {
            let sign = ["", "+", "-"].randomElement(using: &random) ?? ""
            text += (random.chance(2) ? "e" : "E") + sign + String(Int.random(in: 0...99, using: &random))
        }
        return text
    }

    mutating func string() -> String {
        var text = "\""
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let scalar = random.scalar()
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || random.chance(6):
                for unit in String(scalar).utf16 {
                    let hexadecimal = String(unit, radix: 16, uppercase: random.chance(2))
                    text += "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
                }
            case _ where random.chance(8):
                text += ["\\b", "\\f", "\\n", "\\r", "\\t", "\\/"].randomElement(using: &random) ?? ""
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Returns the text truncated, or with up to three bytes changed, inserted, removed or duplicated.
    mutating func damage(_ text: String) -> [UInt8] { damage(Array(text.utf8)) }

    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let likely = Array("{}[]\",:\\/0123456789eE+-.tfnu \n\u{0}\u{1F}".utf8) + [0x80, 0xC3, 0xED, 0xA0, 0xF4, 0xFF]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            guard let index = bytes.indices.randomElement(using: &random) else { break }
            let byte =
                random.chance(4) ? UInt8.random(in: 0...255, using: &random) : likely.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: bytes[index] = byte
            case 2: bytes.insert(byte, at: index)
            case 3: bytes.remove(at: index)
            default: bytes.insert(bytes[index], at: index)
            }
        }
        if random.chance(8) { bytes.removeSubrange(Int.random(in: 0...bytes.count, using: &random)...) }
        return bytes
    }
}
