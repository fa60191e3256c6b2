import CEpoll
import Dispatch
import Glibc

/// Plain pthreads for work that runs or waits for long, outside Dispatch's pool, which has at most 255 threads.
package enum PlainThread {
    /// Runs the body in a new thread.
    ///
    /// - Parameter name: Shown by tools such as `top`. The kernel keeps the first 15 bytes.
    /// - Throws: `SystemError` when the system cannot create a thread.
    package static func run(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let box = Unmanaged.passRetained(Body(name: String(decoding: name.utf8.prefix(15), as: UTF8.self), run: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                pthread_setname_np(pthread_self(), body.name)
                body.run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SystemError(operation: "pthread_create", errno: code)
        }
        pthread_detach(thread)
    }

    /// Runs the body in a thread of the lowest priority and waits for it.
    ///
    /// Threads inherit the priority of their creator and cannot raise it without privileges. The body must
    /// therefore not submit work to queues, whose threads also run everyone else's.
    package static func runAtLowestPriority(
        named name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let done = DispatchSemaphore(value: 0)
        try run(named: name) {
            setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
            body()
            done.signal()
        }
        done.wait()
    }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
