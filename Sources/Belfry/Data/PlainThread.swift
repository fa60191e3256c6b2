import Dispatch
import Glibc

/// Threads that are none of Dispatch's, for what takes long.
enum PlainThread {
    /// What `pthread_create` answers when the machine has no thread left.
    struct NotCreated: Error {
        let code: Int32
    }

    /// Runs the body in a thread of its own.
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

    /// Runs the body in a thread to which every other is preferred, and waits for it.
    ///
    /// Threads inherit that from whoever starts them, and without privileges none of them gets back from it: so the body
    /// must not hand work to queues, whose threads carry out everybody's.
    static func givingWay(_ body: @escaping @Sendable () -> Void) throws(NotCreated) {
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
