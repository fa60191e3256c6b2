import CEpoll
import Glibc

/// One epoll descriptor and its registrations. Confined to the owning loop, except for `wait`, which is called on
/// the loop's thread outside the queue.
final class Poller {
    /// Closed with the poller.
    private let epoll: FileDescriptor
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var table = RegistrationTable()

    /// - Throws: `SystemError` when no descriptor is left.
    init(eventsPerRound: Int) throws(SystemError) {
        let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .last("epoll_create1") }
        epoll = FileDescriptor(owning: descriptor)
        events = .allocate(capacity: eventsPerRound)
        events.initialize(repeating: epoll_event())
    }

    deinit {
        events.deallocate()
    }

    /// - Throws: `SystemError` when the kernel refuses: out of memory, no watches left (ENOSPC), or not a pollable
    ///   file.
    func add(
        _ descriptor: Int32, interest: Interest, handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        let registration = table.insert(.init(descriptor: descriptor, interest: interest, handler: handler))
        guard control(EPOLL_CTL_ADD, descriptor, interest, registration) == 0 else {
            let error = SystemError.last("epoll_ctl")
            _ = table.remove(registration)
            throw error
        }
        return registration
    }

    func setInterest(_ interest: Interest, for registration: Registration) {
        guard let entry = table[registration], entry.interest != interest else { return }
        _ = table.setInterest(interest, for: registration)
        let result = control(EPOLL_CTL_MOD, entry.descriptor, interest, registration)
        precondition(result == 0, "a descriptor was closed before its registration was removed")
    }

    func remove(_ registration: Registration) {
        guard let entry = table.remove(registration) else { return }
        let result = control(EPOLL_CTL_DEL, entry.descriptor, [], registration)
        precondition(result == 0, "a descriptor was closed before its registration was removed")
    }

    /// Releases every handler. The kernel keeps its registrations until the poller is deallocated.
    func removeAll() {
        // Swap first: the deinit of a handler released here may call back and must find an empty table.
        let dropped = table
        table = RegistrationTable()
        withExtendedLifetime(dropped) {}
    }

    /// Watches the descriptor that ends a wait. It has no handler.
    ///
    /// - Throws: `SystemError` when the kernel refuses.
    func watch(_ wakeup: Wakeup) throws(SystemError) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLET.rawValue
        event.data.u64 = Registration.none.epollData
        guard epoll_ctl(epoll.rawValue, EPOLL_CTL_ADD, wakeup.descriptor.rawValue, &event) == 0 else {
            throw .last("epoll_ctl")
        }
    }

    /// Waits until something is ready.
    ///
    /// - Parameter milliseconds: For how long at most; -1 is without end.
    /// - Returns: The number of events to deliver; 0 if the call timed out or was interrupted.
    func wait(milliseconds: Int32) -> Int {
        let count = epoll_wait(epoll.rawValue, events.baseAddress, Int32(events.count), milliseconds)
        precondition(count >= 0 || errno == EINTR, "the epoll descriptor is not ours any more")
        return max(0, Int(count))
    }

    /// Hands the events of the last `wait` to their handlers.
    func deliver(_ count: Int) {
        for event in events[..<count] { deliver(event) }
    }

    private func deliver(_ event: epoll_event) {
        // An earlier handler of this batch may have removed this registration or changed its interest.
        guard let entry = table[Registration(epollData: event.data.u64)] else { return }
        let readiness = Readiness(epollEvents: event.events, interest: entry.interest)
        if !readiness.isEmpty { entry.handler.ready(readiness) }
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ interest: Interest, _ registration: Registration
    ) -> Int32 {
        var event = epoll_event()
        event.events = interest.epollEvents
        event.data.u64 = registration.epollData
        return epoll_ctl(epoll.rawValue, operation, descriptor, &event)
    }
}
