/// Finds all of many strings in a text in one pass (Aho and Corasick, 1975).
///
/// Nodes are in breadth-first order, so the children of a node are adjacent, and the index of the first one is enough to
/// find them. The nodes next to the root, where nearly every text stays, have a row with their successor for every byte;
/// the others look for a child and otherwise continue at the node of the longest suffix. A node takes 17 bytes without
/// its row.
final class ByteAutomaton: Sendable {
    /// The bytes that the rows may take, about what a core's own cache holds.
    private static let rowBytes = 1 << 20

    /// The input of each byte: 0 for those that occur in no string.
    private let inputs: [UInt8]
    private let inputCount: Int
    private let rowCount: Int
    /// The state after a node with a row and each input.
    private let rows: [UInt32]
    private let labels: [UInt8]
    /// The first child of each node, and the end of the last one's.
    private let firstChild: [UInt32]
    /// The node of the longest suffix.
    private let suffix: [UInt32]
    /// The string that ends at a node, or -1.
    private let string: [Int32]
    /// The nearest suffix at which a string ends; the root if there is none, and `silent` if none ends at the node itself either.
    private let nextOutput: [UInt32]

    private static let nodeBytes = 17
    private static let silent = UInt32.max

    /// The state before a text. A state is the place of its node's row in `rows`, or for nodes without one, counts on from the end of
    /// `rows`.
    static let root: UInt32 = 0
    /// A bit of states in which a string ends.
    static let outputFlag: UInt32 = 1 << 31

    /// - Parameters:
    ///   - strings: Distinct, sorted and not empty.
    ///   - memory: The bytes that the automaton may take.
    /// - Returns: nil if it takes more.
    init?(_ strings: [[UInt8]], memory: Int) {
        guard let trie = Trie(strings, nodeLimit: memory / Self.nodeBytes) else { return nil }
        (labels, firstChild, string) = (trie.labels, trie.firstChild, trie.string)

        var inputs = [UInt8](repeating: 0, count: 256)
        var used = 0
        for label in Set(trie.labels.dropFirst()).sorted() {
            used += 1
            inputs[Int(label)] = UInt8(truncatingIfNeeded: min(used, 255))
        }
        // UTF-8 never has all the bytes, so 255 inputs suffice.
        guard used <= 255 else { return nil }
        self.inputs = inputs
        inputCount = used + 1
        let free = min(Self.rowBytes, memory - trie.labels.count * Self.nodeBytes)
        rowCount = max(1, min(trie.labels.count, free / (inputCount * 4)))

        var suffix = [UInt32](repeating: 0, count: trie.labels.count)
        var outputs = [UInt32](repeating: Self.silent, count: trie.labels.count)
        for node in 0..<trie.labels.count {
            for child in trie.firstChild[node]..<trie.firstChild[node + 1] {
                var from = node
                var target: UInt32 = 0
                while from != 0 {
                    from = Int(suffix[from])
                    if let found = trie.child(of: from, trie.labels[Int(child)]) {
                        target = found
                        break
                    }
                }
                suffix[Int(child)] = target
                let isSilent = outputs[Int(target)] == Self.silent
                let next = trie.string[Int(target)] >= 0 ? target : isSilent ? 0 : outputs[Int(target)]
                if next != 0 || trie.string[Int(child)] >= 0 { outputs[Int(child)] = next }
            }
        }
        self.suffix = suffix
        nextOutput = outputs

        var rows = [UInt32](repeating: 0, count: rowCount * inputCount)
        for node in 0..<rowCount {
            if node != 0 {
                let from = Int(suffix[node]) * inputCount
                for input in 0..<inputCount { rows[node * inputCount + input] = rows[from + input] }
            }
            for child in trie.firstChild[node]..<trie.firstChild[node + 1] {
                let flag = outputs[Int(child)] != Self.silent ? Self.outputFlag : 0
                let state = Self.state(Int(child), rowCount: rowCount, inputCount: inputCount)
                rows[node * inputCount + Int(inputs[Int(trie.labels[Int(child)])])] = state | flag
            }
        }
        self.rows = rows
    }

    /// Calls `body` with the tables, which are then read without checks and counts of references.
    func withCursor<Result>(_ body: (Cursor) -> Result) -> Result {
        inputs.withUnsafeBufferPointer { inputs in
            rows.withUnsafeBufferPointer { rows in
                labels.withUnsafeBufferPointer { labels in
                    firstChild.withUnsafeBufferPointer { firstChild in
                        suffix.withUnsafeBufferPointer { suffix in
                            nextOutput.withUnsafeBufferPointer { nextOutput in
                                body(
                                    Cursor(
                                        inputs: inputs, rows: rows, labels: labels, firstChild: firstChild,
                                        suffix: suffix, nextOutput: nextOutput, inputCount: inputCount,
                                        rowCount: rowCount))
                            }
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    fileprivate static func state(_ node: Int, rowCount: Int, inputCount: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: node < rowCount ? node * inputCount : node + rowCount * (inputCount - 1))
    }

    /// Calls `body` with each string that ends in a state, from the longest to the shortest.
    func forEachString(at state: UInt32, _ body: (Int) -> Void) {
        let value = Int(state & ~Self.outputFlag)
        let hasRow = value < rowCount * inputCount
        var node = UInt32(hasRow ? value / inputCount : value - rowCount * (inputCount - 1))
        if string[Int(node)] >= 0 { body(Int(string[Int(node)])) }
        while nextOutput[Int(node)] != Self.silent, nextOutput[Int(node)] != 0 {
            node = nextOutput[Int(node)]
            body(Int(string[Int(node)]))
        }
    }
}

extension ByteAutomaton {
    /// Reads an automaton's tables. Must not leave the closure of `withCursor`.
    struct Cursor {
        fileprivate let inputs: UnsafeBufferPointer<UInt8>
        fileprivate let rows: UnsafeBufferPointer<UInt32>
        fileprivate let labels: UnsafeBufferPointer<UInt8>
        fileprivate let firstChild: UnsafeBufferPointer<UInt32>
        fileprivate let suffix: UnsafeBufferPointer<UInt32>
        fileprivate let nextOutput: UnsafeBufferPointer<UInt32>
        fileprivate let inputCount: Int
        fileprivate let rowCount: Int

        /// Returns the state after another one and a byte.
        @inline(__always)
        func next(_ state: UInt32, _ byte: UInt8) -> UInt32 {
            let place = Int(state & ~ByteAutomaton.outputFlag)
            if place < rows.count { return rows[place &+ Int(inputs[Int(byte)])] }
            return nextWithoutRow(place - rowCount * (inputCount - 1), byte)
        }

        private func nextWithoutRow(_ start: Int, _ byte: UInt8) -> UInt32 {
            let input = inputs[Int(byte)]
            if input == 0 { return ByteAutomaton.root }
            var node = start
            while node >= rowCount {
                var child = Int(firstChild[node])
                let end = Int(firstChild[node + 1])
                while child < end, labels[child] < byte { child += 1 }
                if child < end, labels[child] == byte {
                    let found = ByteAutomaton.state(child, rowCount: rowCount, inputCount: inputCount)
                    return nextOutput[child] == ByteAutomaton.silent ? found : found | ByteAutomaton.outputFlag
                }
                node = Int(suffix[node])
            }
            return rows[node * inputCount + Int(input)]
        }
    }

    /// The tree of the strings' beginnings.
    private struct Trie {
        var labels: [UInt8] = [0]
        var firstChild: [UInt32] = []
        var string: [Int32] = [-1]

        init?(_ strings: [[UInt8]], nodeLimit: Int) {
            // The strings below each node, and their common length.
            var spans: [(Range<Int>, Int)] = [(0..<strings.count, 0)]
            var node = 0
            while node < spans.count {
                var (span, depth) = spans[node]
                firstChild.append(UInt32(spans.count))
                if let first = span.first, strings[first].count == depth {
                    string[node] = Int32(first)
                    span = first + 1..<span.upperBound
                }
                var start = span.lowerBound
                while start < span.upperBound {
                    let label = strings[start][depth]
                    var end = start + 1
                    while end < span.upperBound, strings[end][depth] == label { end += 1 }
                    guard spans.count < nodeLimit else { return nil }
                    spans.append((start..<end, depth + 1))
                    labels.append(label)
                    string.append(-1)
                    start = end
                }
                node += 1
            }
            firstChild.append(UInt32(spans.count))
        }

        func child(of node: Int, _ label: UInt8) -> UInt32? {
            for child in firstChild[node]..<firstChild[node + 1] where labels[Int(child)] == label { return child }
            return nil
        }
    }
}
