/// Splits a file into JSON objects, holding only one of them in memory.
///
/// The file is a sequence of objects, such as one per line; or an array of objects; or an object whose first member is
/// one of the given lists, such as `{"messages": [{…}, {…}]}`. The objects are not validated.
package struct JSONElements {
    package enum Failure: Error, Equatable {
        /// An object is larger than the limit in bytes.
        case tooLong(limit: Int)
        /// A byte that no such file has at this place.
        case unexpectedByte
        /// The file ends within an object or a list.
        case unfinished
    }

    private enum Place: Equatable {
        /// Between the objects of a sequence, which may be inside an array.
        case between
        /// Inside an object to emit.
        case element
        /// Inside an object with lists, outside of its lists.
        case wrapper
    }

    private let lists: [[UInt8]]
    private let limit: Int
    private var place = Place.between
    /// Whether the objects are elements of an array.
    private var isInArray = false
    /// Whether that array is a member of an object.
    private var isWrapped = false
    private var element: [UInt8] = []
    /// The nesting depth within the element or wrapper; its own brace counts.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether the element is the first object outside of an array, which may be a wrapper.
    private var mayWrap = false

    /// - Parameters:
    ///   - lists: The names of members that are lists of objects.
    ///   - limit: The size of the largest object in bytes.
    package init(lists: [String], limit: Int) {
        self.lists = lists.map { Array("\"\($0)\"".utf8) }
        self.limit = limit
    }

    /// Reads the next bytes of the file.
    ///
    /// - Parameter body: Called with each object that they complete.
    package mutating func read(_ bytes: some Sequence<UInt8>, _ body: ([UInt8]) -> Void) throws(Failure) {
        for byte in bytes {
            switch place {
            case .between: try readBetween(byte)
            case .element: try readElement(byte, body)
            case .wrapper: readWrapper(byte)
            }
        }
    }

    package func end() throws(Failure) {
        guard place == .between, !isInArray else { throw .unfinished }
    }

    private mutating func readBetween(_ byte: UInt8) throws(Failure) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: return
        case UInt8(ascii: ",") where isInArray: return
        case UInt8(ascii: "[") where !isInArray: isInArray = true
        case UInt8(ascii: "]") where isInArray:
            isInArray = false
            if isWrapped { (place, isWrapped, depth) = (.wrapper, false, 1) }
            element = []
        case UInt8(ascii: "{"):
            (place, element, depth, mayWrap) = (.element, [byte], 1, !isInArray)
        default: throw .unexpectedByte
        }
    }

    private mutating func readElement(_ byte: UInt8, _ body: ([UInt8]) -> Void) throws(Failure) {
        if mayWrap, depth == 1, !isInString, byte == UInt8(ascii: "["), beginsList {
            (place, isInArray, isWrapped, element) = (.between, true, true, [])
            return
        }
        guard element.count < limit else { throw .tooLong(limit: limit) }
        element.append(byte)
        guard !track(byte) else { return }
        place = .between
        body(element)
        element.removeAll(keepingCapacity: true)
    }

    /// Keeps the part of the object since its last comma, to recognize the names of its lists.
    private mutating func readWrapper(_ byte: UInt8) {
        if depth == 1, !isInString, byte == UInt8(ascii: "["), beginsList {
            (place, isInArray, isWrapped, element) = (.between, true, true, [])
            return
        }
        guard track(byte) else {
            (place, element) = (.between, [])
            return
        }
        if depth == 1, !isInString, byte == UInt8(ascii: ",") {
            element = []
        } else if element.count < 256 {
            element.append(byte)
        }
    }

    /// - Returns: Whether the object continues after the byte.
    private mutating func track(_ byte: UInt8) -> Bool {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return true
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        return depth > 0
    }

    /// Whether the bytes so far are the brace or comma before a member with the name of a list.
    private var beginsList: Bool {
        // Otherwise an object with many lists would be searched again for each.
        guard element.count < 256 else { return false }
        let name = element.filter { ![0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "{"), UInt8(ascii: ":")].contains($0) }
        return lists.contains(name)
    }
}
