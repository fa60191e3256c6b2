import CEpoll

/// The events a handler wants. Hangups and errors are always reported.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Interest(rawValue: 1 << 0)
    package static let writable = Interest(rawValue: 1 << 1)

    var epollEvents: UInt32 {
        (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
    }
}

/// The events the kernel reports. The end of the peer's stream is `.readable` (the next read returns it), not
/// `.hangup`.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: 1 << 0)
    package static let writable = Readiness(rawValue: 1 << 1)
    /// Both directions are closed.
    package static let hangup = Readiness(rawValue: 1 << 2)
    /// `Sockets.pendingError(of:)` tells which.
    package static let error = Readiness(rawValue: 1 << 3)

    /// Whether a read yields something: bytes, the end or an error.
    package var hasInput: Bool { rawValue & Self.input.rawValue != 0 }
    package var isWritable: Bool { contains(.writable) }

    private static let input: Readiness = [.readable, .hangup, .error]

    /// The part of an epoll event that matches `interest`, plus hangups and errors.
    init(epollEvents events: UInt32, interest: Interest) {
        var readiness: Readiness = []
        if events & EPOLLIN.rawValue != 0, interest.contains(.readable) { readiness.insert(.readable) }
        if events & EPOLLOUT.rawValue != 0, interest.contains(.writable) { readiness.insert(.writable) }
        if events & EPOLLHUP.rawValue != 0 { readiness.insert(.hangup) }
        if events & EPOLLERR.rawValue != 0 { readiness.insert(.error) }
        self = readiness
    }
}

/// Called on the loop when its descriptor is ready.
package protocol ReadinessHandler: AnyObject {
    /// Called in each turn while the descriptor stays ready (level-triggered). After `.hangup` or `.error` the calls repeat until the
    /// registration is removed, because no interest silences those.
    func ready(_ readiness: Readiness)
}

/// Identifies one `add` of a descriptor. Invalid after `remove`, even when its slot is reused.
package struct Registration: Hashable, Sendable {
    /// No registration ever has this slot.
    static let none = Registration(index: .max, generation: .max)

    let index: UInt32
    let generation: UInt32

    init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// Decodes the `u64` that epoll stores for us.
    ///
    ///     generation: 32 bits | index: 32 bits
    init(epollData: UInt64) {
        index = UInt32(truncatingIfNeeded: epollData)
        generation = UInt32(truncatingIfNeeded: epollData >> 32)
    }

    var epollData: UInt64 {
        UInt64(generation) << 32 | UInt64(index)
    }
}
