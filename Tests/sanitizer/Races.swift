// Two threads, one number, and a lock where one is asked for:  Races locked|bare
//
// The sanitizer has to be silent about the one, and must not be about the other.

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
