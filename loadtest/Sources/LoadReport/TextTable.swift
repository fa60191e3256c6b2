extension Report {
    /// Returns the report for a terminal: lines of at most 110 characters, each ended by a line break.
    public func table() -> String {
        var text = TextTable()
        text.paragraph("\(heading): \(question)")
        text.gap()
        text.entries("settings", settings.map { "\($0.name) \($0.value)" })
        text.figures(figures)
        text.distributions(distributions)
        for comparison in comparisons { text.comparison(comparison) }
        text.checks(checks)
        for remark in remarks { text.paragraph("note: " + remark, indent: 6) }
        for problem in problems { text.paragraph("PROBLEM: " + problem, indent: 9) }
        return text.text
    }
}

/// Lines of a limited width.
struct TextTable {
    static let width = 110
    private(set) var lines: [String] = []

    /// All lines, without empty ones at the end.
    var text: String {
        var lines = lines
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    mutating func gap() {
        if lines.last?.isEmpty == false { lines.append("") }
    }

    /// Appends a paragraph, broken between words; words longer than a line are broken anywhere.
    mutating func paragraph(_ text: String, head: String = "", indent: Int = 0) {
        var line = head
        var isFirst = true
        func start() -> String { isFirst ? "" : String(repeating: " ", count: indent) }
        for word in Self.printable(text).split(separator: " ") {
            var word = word
            let space = line.isEmpty || line.last == " " ? "" : " "
            if line.count + space.count + word.count <= Self.width {
                line += space + word
                continue
            }
            if !space.isEmpty || (isFirst && !head.isEmpty && line != head) {
                lines.append(line)
                isFirst = false
                line = start()
            }
            while line.count + word.count > Self.width {
                let room = Self.width - line.count
                lines.append(line + word.prefix(room))
                word = word.dropFirst(room)
                isFirst = false
                line = start()
            }
            line += word
        }
        lines.append(line)
    }

    /// Appends `name   one · two · three`, broken between the entries.
    mutating func entries(_ name: String, _ entries: [String]) {
        guard !entries.isEmpty else { return }
        let head = name.padded(to: 10)
        var line = head
        for entry in entries.map(Self.printable) {
            if line == head {
                line += entry
            } else if line.count + 3 + entry.count <= Self.width {
                line += " · " + entry
            } else {
                lines.append(line)
                line = String(repeating: " ", count: head.count) + entry
            }
        }
        paragraph(line: line, indent: head.count)
        gap()
    }

    /// Appends rows of cells, the first column left-aligned and the others right-aligned. Columns that do not fit are
    /// cut.
    mutating func rows(_ rows: [[String]], left: Set<Int> = [0]) {
        let rows = rows.map { $0.map(Self.printable) }
        let columns = rows.map(\.count).max() ?? 0
        var widths = (0..<columns).map { column in
            rows.compactMap { column < $0.count ? $0[column].count : nil }.max() ?? 0
        }
        // The first column is shortened, because the numbers matter most.
        let others = widths.dropFirst().reduce(0) { $0 + $1 + 2 }
        if let first = widths.first { widths[0] = max(12, min(first, Self.width - others)) }
        for row in rows {
            var line = ""
            for (column, cell) in row.enumerated() {
                let text = cell.cut(to: widths[column])
                line += column == 0 ? "" : "  "
                line += left.contains(column) ? text.padded(to: widths[column]) : text.padded(front: widths[column])
            }
            while line.last == " " { line.removeLast() }
            lines.append(line.cut(to: Self.width))
        }
        if !rows.isEmpty { gap() }
    }

    private mutating func paragraph(line: String, indent: Int) {
        if line.count <= Self.width { return lines.append(line) }
        lines.append(String(line.prefix(Self.width)))
        paragraph(String(repeating: " ", count: indent) + line.dropFirst(Self.width), indent: indent)
    }

    /// Replaces control characters with `?`, so that outside text cannot control the terminal.
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isPrintable ? $0 : "?" }))
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isPrintable: Bool {
        switch generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .format: false
        default: true
        }
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
    func padded(front width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
    func cut(to width: Int) -> String { count <= width ? self : String(prefix(max(0, width - 1))) + "…" }
}
