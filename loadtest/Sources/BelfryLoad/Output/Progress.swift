import Foundation
import Glibc

/// A status line that is overwritten on a terminal; prints nothing elsewhere.
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

    /// Writes a permanent line, even without a terminal.
    func writeLine(_ text: String) {
        clear()
        write(text + "\n")
    }

    private func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

extension Progress {
    /// Shows the progress of an open loop until that instant.
    func count(until instant: UInt64, of messages: Int, _ sends: SendTally, delivered: () async -> Int) async {
        while true {
            let now = Clock.now
            guard now < instant else { return }
            let sent = sends.sent.load(ordering: .relaxed)
            if sent > 0 { show("\(sent) of \(messages) sent, \(await delivered()) delivered") }
            try? await Task.sleep(for: .nanoseconds(Int64(min(instant - now, 250_000_000))))
        }
    }
}
