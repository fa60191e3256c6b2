/// The command that repeats the run.
extension ReportBook {
    var recipe: Markup {
        """
        <h3>Run it again</h3>
        \(isProjectCommand ? project : .empty)<pre tabindex="0" role="region" aria-label="the command">\(lines.separated(by: "\n"))</pre>

        """
    }

    /// Whether the command belongs to the project, given by a path relative to the project's folder.
    private var isProjectCommand: Bool {
        ["loadtest/run", "loadtest/compare"].contains { command == $0 || command.hasPrefix($0 + " ") }
    }

    /// `94d8af0487a6` of `belfry 0.1.0 (94d8af0487a6)`; nil outside a checkout.
    private var commit: Substring? {
        guard let server, server.hasSuffix(")"), let start = server.lastIndex(of: "(") else { return nil }
        let name = server[start...].dropFirst().dropLast()
        return !name.isEmpty && name.allSatisfy(\.isHexDigit) ? name : nil
    }

    private var project: Markup {
        let at: Markup = commit.map { ", at commit <code>\(String($0))</code>" } ?? .empty
        return """
            <p>Run this in the project’s folder\(at). It builds the programs if necessary. Relative paths refer to \
            that folder.\(command.hasPrefix("loadtest/compare") ? others : .empty)</p>

            """
    }

    private var others: Markup {
        """
         The first time, add <code>--install</code> to install the other servers, in the versions of Debian and \
        <code>loadtest/peers</code>. The versions measured here are listed with each server.
        """
    }

    /// One option per line, so that options are not broken and the command can be copied.
    private var lines: [Markup] {
        let words = ShellWords.split(command)
        guard command.count > 60 else { return ["\(command)"] }
        var lines: [String] = []
        for (index, word) in words.enumerated() {
            if index == 0 || word.hasPrefix("--") { lines.append(word) } else { lines[lines.count - 1] += " " + word }
        }
        return lines.enumerated().map { index, line in
            "\(index > 0 ? "    " : "")\(line)\(index < lines.count - 1 ? " \\" : "")"
        }
    }
}

/// Splits command lines like a shell, but keeps quotes and backslashes.
enum ShellWords {
    /// Splits a command at spaces that are neither quoted nor escaped.
    static func split(_ command: String) -> [String] {
        var words: [String] = []
        var word = ""
        var (isQuoted, isEscaped) = (false, false)
        for character in command {
            if character == " ", !isQuoted, !isEscaped {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            if character == "'", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped && !isQuoted
            word.append(character)
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}
