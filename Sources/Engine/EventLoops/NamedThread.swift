import CEpoll
import Glibc

/// Starts threads outside Dispatch's pool: whatever waits for as long as the process lives would keep one of its threads,
/// of which there are at most 255.
enum NamedThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs a body on a new thread, which ends with it.
    ///
    /// - Parameter name: What tools show. The kernel keeps the first 15 bytes.
    /// - Throws: `SystemError` when there is no memory or the limit on threads is reached.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let start = Unmanaged.passRetained(Start(String(decoding: name.utf8.prefix(15), as: UTF8.self), body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                pthread_setname_np(pthread_self(), start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard result == 0 else {
            start.release()
            throw SystemError(operation: "pthread_create", errno: result)
        }
        pthread_detach(thread)
    }
}
