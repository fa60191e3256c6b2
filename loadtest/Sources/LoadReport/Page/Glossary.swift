/// Explains the terms that the page uses.
enum Glossary {
    struct Entry {
        var id: String
        var word: String
        var meaning: String
        /// The forms of the word in a sentence, in lower case; empty if it is reached only by an explicit link.
        var forms: [String] = []
    }

    /// Returns the entries that the page links to, and the entries that those link to.
    ///
    /// - Parameter body: The page without this section.
    static func section(for body: Markup) -> Markup {
        let shown = shown(for: body)
        if shown.isEmpty { return .empty }
        return """
            <section id="glossary">
            <h2>Glossary</h2>
            <dl>
            \(shown.map { entry -> Markup in
                "<dt id=\"g-\(entry.id)\">\(entry.word)</dt><dd>\(linked(entry.meaning, but: entry.id))</dd>\n"
            })</dl>
            </section>

            """
    }

    private static func shown(for body: Markup) -> [Entry] {
        var found: Set<String> = []
        var texts = [body.text]
        while let text = texts.popLast() {
            for entry in entries where !found.contains(entry.id) && text.contains("href=\"#g-\(entry.id)\"") {
                found.insert(entry.id)
                texts.append(linked(entry.meaning, but: entry.id).text)
            }
        }
        return entries.filter { found.contains($0.id) }
    }

    /// Returns the word as a link to its explanation.
    static func link(_ id: String, _ word: String? = nil) -> Markup {
        let id = id == "p99" ? ("percentile", "p99") : (id, id)
        return "<a class=\"term\" href=\"#g-\(id.0)\">\(word ?? id.1)</a>"
    }

    /// Returns the text with a link at the first occurrence of each explained word.
    ///
    /// - Parameter own: The word that the text itself explains, which is not linked.
    static func linked(_ text: String, but own: String? = nil) -> Markup {
        var (result, rest, open) = (Markup.empty, text[...], "")
        var left = entries.filter { !$0.forms.isEmpty && $0.id != own }
        var isInWord = false
        while let first = rest.first {
            if !isInWord, let (index, length) = longest(at: rest, of: left) {
                result += "\(open)\(link(left[index].id, String(rest.prefix(length))))"
                rest = rest.dropFirst(length)
                left.remove(at: index)
                (open, isInWord) = ("", true)
                continue
            }
            isInWord = first.isLetter || first.isNumber
            open.append(first)
            rest = rest.dropFirst()
        }
        result += "\(open)"
        return result
    }

    /// Returns the entry with the longest word that starts here, and the word's length.
    private static func longest(at rest: Substring, of entries: [Entry]) -> (index: Int, length: Int)? {
        var best: (index: Int, length: Int)?
        for (index, entry) in entries.enumerated() {
            for form in entry.forms where form.count > best?.length ?? 0 {
                let start = rest.prefix(form.count)
                guard start.count == form.count, start.lowercased() == form else { continue }
                if let next = rest.dropFirst(form.count).first, next.isLetter || next.isNumber { continue }
                best = (index, form.count)
            }
        }
        return best
    }
}
