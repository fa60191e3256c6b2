import CRE2

/// The patterns of a set's rules.
///
/// RE2's own sets search for all patterns at once, but with a thousand of them nearly every message reaches states that have to be built
/// first. So only patterns without a literal of three letters are searched in that manner. The literals of all others go into an automaton
/// of ours, and a pattern is compared with the text only if its literals occur.
final class PatternRules: Sendable {
    private let list: PatternList
    /// The rule of each pattern.
    let rules: [Int]
    private let atoms: ByteAutomaton?
    private let isSearchedAlways: Bool

    /// The length from which on a literal is rare enough in texts.
    private static let shortestAtom: Int32 = 3

    init?(_ rules: [TextRule], memory: Int, automatonMemory: Int) throws(TextRuleError) {
        var patterns: [(rule: Int, pattern: String)] = []
        for (index, rule) in rules.enumerated() {
            if case .pattern(let pattern) = rule.content { patterns.append((index, pattern)) }
        }
        guard !patterns.isEmpty else { return nil }
        let pointer = belfry_re2_create(
            memory, min(memory, TextRuleLimits.patternMemory), Self.shortestAtom, TextRuleLimits.broadInstructions)
        guard let pointer else { throw TextRuleError.outOfMemory(id: nil) }
        list = PatternList(pointer)
        for (rule, pattern) in patterns { try list.add(pattern, id: rules[rule].id) }
        switch Int(belfry_re2_compile(pointer)) {
        case Int(BELFRY_RE2_OK): break
        case Int(BELFRY_RE2_TOO_BROAD): throw TextRuleError.tooBroad
        default: throw TextRuleError.outOfMemory(id: nil)
        }
        self.rules = patterns.map(\.rule)
        isSearchedAlways = belfry_re2_broad_count(pointer) > 0

        let literals = list.atoms
        let strings = literals.filter { Self.isLowercase($0.bytes) }
        unsureAtoms = literals.filter { !Self.isLowercase($0.bytes) }.map(\.number)
        if strings.isEmpty {
            atoms = nil
        } else {
            guard let automaton = ByteAutomaton(strings.map(\.bytes), memory: automatonMemory) else {
                throw TextRuleError.outOfMemory(id: nil)
            }
            atoms = automaton
        }
        numbers = strings.map(\.number)
    }

    /// RE2's number of each string of the automaton.
    private let numbers: [Int32]
    /// Those that RE2 takes for lower case and Swift does not, as letters of Cherokee are. Every text counts as having them.
    private let unsureAtoms: [Int32]

    /// Returns the patterns that match a text; nil if RE2 ran out of memory.
    func matches(in text: UnsafeBufferPointer<UInt8>) -> [Int]? {
        let atoms = atoms(in: text)
        guard isSearchedAlways || !atoms.isEmpty else { return [] }
        return list.search(text, atoms: atoms, count: rules.count)
    }

    /// Calls `body` with the matches of a pattern that are not empty, from the left, until it returns false.
    ///
    /// - Returns: false if RE2 ran out of memory.
    func forEachMatch(
        of pattern: Int, in text: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Bool
    ) -> Bool {
        var from = 0
        while from < text.count {
            switch list.find(pattern, in: text, from: from) {
            case .none: return true
            case .outOfMemory: return false
            case .range(let range):
                if !range.isEmpty, !body(range) { return true }
                from = range.upperBound
                guard range.isEmpty else { continue }
                from += 1
                while from < text.count, text[from] & 0xC0 == 0x80 { from += 1 }
            }
        }
        return true
    }

    // MARK: Literals

    private func atoms(in text: UnsafeBufferPointer<UInt8>) -> [Int32] {
        guard let atoms else { return unsureAtoms }
        return atoms.withCursor { cursor in
            var node = ByteAutomaton.root
            var found = Set(unsureAtoms)
            var index = 0
            while index < text.count {
                let byte = text[index]
                if byte < 0x80 {
                    node = cursor.next(node, Self.lowercase(byte))
                    if node & ByteAutomaton.outputFlag != 0 {
                        atoms.forEachString(at: node) { found.insert(numbers[$0]) }
                    }
                    index += 1
                } else {
                    for byte in Self.lowercase(text, &index) {
                        node = cursor.next(node, byte)
                        if node & ByteAutomaton.outputFlag != 0 {
                            atoms.forEachString(at: node) { found.insert(numbers[$0]) }
                        }
                    }
                }
            }
            return Array(found)
        }
    }

    @inline(__always)
    private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The lower-case letter of RE2, which has exactly one for each.
    private static func lowercase(
        _ text: UnsafeBufferPointer<UInt8>, _ index: inout Int
    ) -> UTF8.EncodedScalar {
        let first = UInt32(text[index])
        let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = first & (0x7F >> UInt32(count))
        for offset in 1..<count { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
        index += count
        return FoldedText.utf8(value < 0x600 ? alphabets[Int(value)] : computeLowercase(value))
    }

    private static func isLowercase(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.allSatisfy { computeLowercase($0.value) == $0.value }
    }

    private static let alphabets: [UInt32] = (0..<0x600).map(computeLowercase)

    private static func computeLowercase(_ value: UInt32) -> UInt32 {
        // Kana, Han, Hangul and emoji have no case.
        guard !(0x3000...0xA000).contains(value), !(0xAC00...0xD7FF).contains(value), value < 0x1F000 else {
            return value
        }
        return Unicode.Scalar(value)?.properties.lowercaseMapping.unicodeScalars.first?.value ?? value
    }
}

/// The owner of RE2's list, which no longer changes after `PatternRules.init` and then may be searched by several threads.
private final class PatternList: Sendable {
    private nonisolated(unsafe) let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { belfry_re2_destroy(pointer) }

    func add(_ pattern: String, id: String) throws(TextRuleError) {
        guard !pattern.isEmpty else { throw .empty(id: id) }
        guard pattern.utf8.count <= TextRuleLimits.patternBytes else { throw .tooLarge(id: id) }
        let (status, reason) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { reason in
            reason.initialize(repeating: 0)
            var pattern = pattern
            let status = pattern.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    belfry_re2_add(pointer, bytes.baseAddress, bytes.count, reason.baseAddress, reason.count)
                }
            }
            let explanation = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return (Int(status), String(decoding: explanation, as: UTF8.self))
        }
        switch status {
        case Int(BELFRY_RE2_OK): return
        case Int(BELFRY_RE2_SYNTAX): throw .badPattern(id: id, reason: reason)
        case Int(BELFRY_RE2_TOO_LARGE): throw .tooLarge(id: id)
        case Int(BELFRY_RE2_MATCHES_NOTHING): throw .matchesEmptyText(id: id)
        default: throw .outOfMemory(id: id)
        }
    }

    /// The literals in the order of their bytes.
    var atoms: [(bytes: [UInt8], number: Int32)] {
        (0..<belfry_re2_atom_count(pointer)).map { index in
            var length = 0
            let start = belfry_re2_atom(pointer, index, &length)
            let bytes = UnsafeBufferPointer(start: start, count: length).map { UInt8(bitPattern: $0) }
            return (bytes, Int32(index))
        }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
    }

    /// - Returns: The numbers of the patterns that match; nil if RE2 ran out of memory.
    func search(_ text: UnsafeBufferPointer<UInt8>, atoms: [Int32], count: Int) -> [Int]? {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: count) { hits in
            text.withMemoryRebound(to: CChar.self) { text in
                var hitCount = 0
                let status = belfry_re2_search(
                    pointer, text.baseAddress, text.count, atoms, atoms.count, hits.baseAddress, &hitCount)
                return status == Int32(BELFRY_RE2_OK) ? hits.prefix(hitCount).map(Int.init) : nil
            }
        }
    }

    enum Found { case none, range(Range<Int>), outOfMemory }

    func find(_ pattern: Int, in text: UnsafeBufferPointer<UInt8>, from: Int) -> Found {
        var (start, end) = (0, 0)
        let status = text.withMemoryRebound(to: CChar.self) { text in
            belfry_re2_find(pointer, pattern, text.baseAddress, text.count, from, &start, &end)
        }
        return status < 0 ? .outOfMemory : status == 0 ? .none : .range(start..<end)
    }
}
