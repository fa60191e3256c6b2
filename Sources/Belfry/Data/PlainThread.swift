import Dispatch
import Glibc

/// Plain pthreads for long-running work, outside Dispatch's pool.
enum PlainThread {
    /// The code that `pthread_create` returned when the system could not create a thread.
    struct NotCreated: Error {
        let code: Int32
    }

    /// Runs the body in a new thread.
    static func run(_ body: @escaping @Sendable () -> Void) throws(NotCreated) {
        let box = Unmanaged.passRetained(Body(run: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw NotCreated(code: code)
        }
        pthread_detach(thread)
    }

    /// Runs the body in a thread of the lowest priority and waits for it.
    ///
    /// Threads inherit the priority of their creator and cannot raise it without privileges. The body must
    /// therefore not submit work to queues, whose threads also run everyone else's.
    static func runAtLowestPriority(_ body: @escaping @Sendable () -> Void) throws(NotCreated) {
        let done = DispatchSemaphore(value: 0)
        try run {
            setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
            body()
            done.signal()
        }
        done.wait()
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
