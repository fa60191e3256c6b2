import Foundation
import Glibc

/// One line on a terminal that is written over; elsewhere nothing.
struct Progress: Sendable {
    private let isTerminal: Bool

    init(isTerminal: Bool = isatty(STDERR_FILENO) == 1) { self.isTerminal = isTerminal }

    static let silent = Progress(isTerminal: false)

    func show(_ text: String) {
        if isTerminal { write("\r\u{1B}[K" + text) }
    }

    func clear() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    /// A line that stays, also where there is no terminal.
    func say(_ text: String) {
        clear()
        write(text + "\n")
    }

    private func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
