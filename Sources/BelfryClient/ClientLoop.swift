import EventLoops

/// A queue with its sockets and timers, which any number of clients share.
///
/// Low-level: an app needs none of its own. A load tester with thousands of clients spreads them over a few.
public final class ClientLoop: Sendable {
    package let loop: EventLoop

    /// - Throws: `BelfryError` when the process has no descriptor left.
    public convenience init(label: String) throws(BelfryError) {
        do throws(SystemError) {
            self.init(try EventLoop(label: label, index: 0))
        } catch {
            throw .noLoop("\(error)")
        }
    }

    package init(_ loop: EventLoop) { self.loop = loop }

    /// The loop of all clients that bring none of their own; it lives as long as the process.
    static func shared() throws(BelfryError) -> ClientLoop { try sharedResult.get() }

    private static let sharedResult: Result<ClientLoop, BelfryError> = {
        do throws(BelfryError) {
            return .success(try ClientLoop(label: "belfry-client"))
        } catch {
            return .failure(error)
        }
    }()
}
