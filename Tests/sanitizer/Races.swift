// Two threads change one number, with or without a lock:  Races locked|bare
//
// The sanitizer must report nothing for `locked` and a race for `bare`.

import Dispatch
import Synchronization

final class Numbers: @unchecked Sendable {
    let locked = Mutex(0)
    var bare = 0
}

@main struct Races {
    static func main() {
        let numbers = Numbers()
        let isLocked = CommandLine.arguments.last == "locked"
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<20_000 {
                if isLocked {
                    // Long enough for another thread to wait.
                    numbers.locked.withLock { number in (0..<50).forEach { _ in number += 1 } }
                } else {
                    numbers.bare += 1
                }
            }
        }
    }
}
