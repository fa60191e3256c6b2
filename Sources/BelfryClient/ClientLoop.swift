import EventLoops

/// An event loop with its sockets and timers, shared by any number of clients.
///
/// Low-level: most apps do not need one. A load tester distributes thousands of clients over a few loops.
public final class ClientLoop: Sendable {
    package let loop: EventLoop

    /// Creates an event loop. The label names its queue.
    ///
    /// - Throws: `BelfryError` when the process is out of descriptors.
    public convenience init(label: String) throws(BelfryError) {
        do throws(SystemError) {
            self.init(try EventLoop(label: label, index: 0))
        } catch {
            throw .noLoop("\(error)")
        }
    }

    package init(_ loop: EventLoop) { self.loop = loop }

    /// Returns the default loop for all clients, which lives as long as the process.
    static func shared() throws(BelfryError) -> ClientLoop { try sharedResult.get() }

    private static let sharedResult: Result<ClientLoop, BelfryError> = {
        do throws(BelfryError) {
            return .success(try ClientLoop(label: "belfry-client"))
        } catch {
            return .failure(error)
        }
    }()
}
