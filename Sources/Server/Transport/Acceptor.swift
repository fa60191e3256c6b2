import EventLoops
import Logging

/// A loop's listening socket.
///
/// Confined to its loop.
final class Acceptor: ReadinessHandler {
    /// Connections accepted per call, so that a burst of new ones does not starve existing ones.
    private static let acceptsPerCall = 64
    /// How long the listener pauses after the process runs out of file descriptors.
    private static let pause = Duration.milliseconds(200)

    private let loop: EventLoop
    private let descriptor: Int32
    private let admissions: Admissions
    private let logger: Logger
    private var registration: Registration?

    /// - Parameter admissions: The loops that receive accepted connections; at least one.
    init(
        _ descriptor: consuming FileDescriptor, on loop: EventLoop, _ admissions: Admissions, _ logger: Logger
    ) {
        self.loop = loop
        self.descriptor = descriptor.release()
        self.admissions = admissions
        self.logger = logger
    }

    func open() {
        do throws(SystemError) {
            registration = try loop.add(descriptor, interest: [.readable], handler: self)
        } catch {
            logger.error("cannot register the listener with epoll", metadata: ["error": "\(error)"])
        }
    }

    func ready(_ readiness: Readiness) {
        for _ in 0..<Self.acceptsPerCall {
            switch Sockets.accept(on: descriptor) {
            case .connection(let connection, let peer):
                try? Sockets.setNoDelay(connection.rawValue)
                admissions.admit(connection, peer)
            case .wouldBlock: return
            case .exhausted:
                logger.warning("out of file descriptors: accepting is paused")
                return pauseAccepting()
            case .failed(let error):
                logger.warning("cannot accept a connection", metadata: ["error": "\(error)"])
                return
            }
        }
    }

    private func pauseAccepting() {
        guard let registration else { return }
        loop.setInterest([], for: registration)
        _ = loop.schedule(after: Self.pause) { [weak self] in
            guard let self, let registration = self.registration else { return }
            loop.setInterest([.readable], for: registration)
        }
    }

    func close() {
        guard let registration else { return }
        loop.remove(registration)
        self.registration = nil
        FileDescriptor(owning: descriptor).close()
    }
}
