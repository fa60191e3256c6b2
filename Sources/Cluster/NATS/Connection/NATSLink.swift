#if Cluster
import CNats
import Dispatch
import Glibc

/// One connection of cnats to one server, until it is lost.
///
/// `init` runs on any queue. Afterwards everything is touched on `queue` only, until `close` hands it to another queue
/// to be freed.
final class NATSLink: @unchecked Sendable {
    enum Sending: Equatable {
        case sent
        case tooLarge
        /// The server reads more slowly than we write, or the link is closed.
        case full
    }

    private static let unsentByteLimit: Int32 = 16 << 20

    let server: NATSServerAddress
    private let queue: DispatchQueue
    private let mailbox: Mailbox
    private let receive: @Sendable (Int, NATSMessage) -> Void
    private let used: UsedMessages
    private var connection: OpaquePointer?
    /// Those whose messages `read` takes, in the order in which they began, and the one for replies.
    private var subscriptions: [(id: Int, pointer: OpaquePointer)] = []
    private var replies: OpaquePointer?
    /// Duplicates of cnats's descriptor, which cnats closes on its own. A source owns its descriptor once it exists.
    private var descriptors: (read: Int32, write: Int32) = (-1, -1)
    private var readSource: (any DispatchSourceRead)?
    private var writeSource: (any DispatchSourceWrite)?
    private var isWriteSourceActive = false
    private var hasUnsentBytes = false
    private var isClosed = false
    private var lost: (@Sendable (NATSError) -> Void)?
    /// Pings sent since bytes last arrived.
    private var unansweredPings = 0

    /// Connects, which blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - replies: Receives replies.
    ///   - receive: Called on `queue` with the messages of subscriptions and their ids.
    init(
        _ server: NATSServerAddress, _ settings: NATSSettings, queue: DispatchQueue, replies mailbox: Mailbox,
        receive: @escaping @Sendable (Int, NATSMessage) -> Void
    ) throws(NATSError) {
        self.server = server
        self.queue = queue
        self.mailbox = mailbox
        self.receive = receive
        used = mailbox.used
        let options = try NATSOptions(server, settings)
        var status = natsOptions_SetEventLoop(
            options.pointer, Unmanaged.passUnretained(self).toOpaque(),
            { userData, loop, _, descriptor in
                userData?.pointee = loop
                return NATSLink.of(loop)?.attach(descriptor) ?? NATS_INVALID_ARG
            },
            // Closing the link stops reading.
            { _, _ in NATS_OK },
            { link, isNeeded in
                NATSLink.of(link)?.needWriting(isNeeded)
                return NATS_OK
            },
            { _ in NATS_OK })
        if status == NATS_OK { status = natsConnection_Connect(&connection, options.pointer) }
        guard status == NATS_OK else { throw NATSOptions.error(status, server) }
    }

    deinit {
        // Only if it never started; cnats frees its own parts when it could not connect.
        if descriptors.read >= 0 { Glibc.close(descriptors.read) }
        if descriptors.write >= 0 { Glibc.close(descriptors.write) }
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> NATSLink? {
        pointer.map { Unmanaged<NATSLink>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Parameter lost: Called on `queue`, at most once, unless `close` is called first.
    func start(lost: @escaping @Sendable (NATSError) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.lost = lost
        let (reading, writing) = descriptors
        descriptors = (-1, -1)
        let readSource = DispatchSource.makeReadSource(fileDescriptor: reading, queue: queue)
        readSource.setEventHandler { self.read() }
        readSource.setCancelHandler { Glibc.close(reading) }
        readSource.activate()
        self.readSource = readSource
        let writeSource = DispatchSource.makeWriteSource(fileDescriptor: writing, queue: queue)
        writeSource.setEventHandler { self.write() }
        writeSource.setCancelHandler { Glibc.close(writing) }
        self.writeSource = writeSource
    }

    /// Frees the connection.
    ///
    /// - Parameter flushing: Sends first what the socket takes at once.
    func close(flushing: Bool) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isClosed else { return }
        if flushing, hasUnsentBytes { natsConnection_ProcessWriteEvent(connection) }
        isClosed = true
        lost = nil
        readSource?.cancel()
        writeSource?.cancel()
        // A suspended source would never be cancelled.
        if !isWriteSourceActive { writeSource?.resume() }
        // cnats waits up to 500 ms for an answer to what it could not send.
        DispatchQueue.global().async { self.free() }
    }

    private func free() {
        for subscription in subscriptions { natsSubscription_Destroy(subscription.pointer) }
        if let replies { natsSubscription_Destroy(replies) }
        natsConnection_Destroy(connection)
    }

    // MARK: Messages

    func send(_ publication: NATSPublication, replyTo reply: String? = nil) -> Sending {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isClosed, natsConnection_Buffered(connection) < Self.unsentByteLimit else { return .full }
        guard let count = Int32(exactly: publication.bytes.count) else { return .tooLarge }
        var message: OpaquePointer?
        let status = publication.bytes.withUnsafeBytes { bytes in
            natsMsg_Create(
                &message, publication.subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
        }
        guard status == NATS_OK, let message else { return .full }
        defer { natsMsg_Destroy(message) }
        for header in publication.headers where natsMsgHeader_Set(message, header.name, header.value) != NATS_OK {
            return .full
        }
        return switch natsConnection_PublishMsg(connection, message) {
        case NATS_OK: .sent
        case NATS_MAX_PAYLOAD: .tooLarge
        default: .full
        }
    }

    /// Sends a ping, unless two have been unanswered: then the link is lost.
    ///
    /// - Parameter subject: A subject to which the connection has subscribed.
    func ping(_ subject: String) {
        guard unansweredPings < 2 else { return lose("it did not answer two pings") }
        unansweredPings += 1
        _ = send(NATSPublication(subject: subject, bytes: []))
    }

    /// Subscribes without a thread of cnats: `read` takes the messages, before it reads more.
    func subscribe(_ id: Int, to subject: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        var subscription: OpaquePointer?
        guard !isClosed, natsConnection_SubscribeSync(&subscription, connection, subject) == NATS_OK, let subscription
        else { return }
        subscriptions.append((id, subscription))
    }

    /// Subscribes to replies, by way of a thread of cnats: otherwise it would not tell which request nobody answers.
    func subscribe(toReplies subject: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isClosed else { return }
        let inlet = Unmanaged.passRetained(mailbox)
        let status = natsConnection_Subscribe(
            &replies, connection, subject,
            { _, _, message, inlet in
                guard let message, let inlet else { return }
                Unmanaged<Mailbox>.fromOpaque(inlet).takeUnretainedValue().append(message)
            }, inlet.toOpaque())
        guard status == NATS_OK, let replies else { return inlet.release() }
        // cnats's thread may use the mailbox until then.
        natsSubscription_SetOnCompleteCB(
            replies,
            { inlet in
                guard let inlet else { return }
                Unmanaged<Mailbox>.fromOpaque(inlet).release()
            }, inlet.toOpaque())
    }

    func unsubscribe(_ id: Int) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isClosed, let place = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        natsSubscription_Destroy(subscriptions.remove(at: place).pointer)
    }

    // MARK: The event loop

    /// Runs in `init`, on the caller's queue.
    private func attach(_ descriptor: Int32) -> natsStatus {
        descriptors = (belfry_nats_duplicate(descriptor), belfry_nats_duplicate(descriptor))
        let isReady =
            descriptors.read >= 0 && descriptors.write >= 0 && belfry_nats_prepare_socket(descriptor) == 0
        return isReady ? NATS_OK : NATS_SYS_ERROR
    }

    private func needWriting(_ isNeeded: Bool) {
        // While it is being freed, cnats asks from another queue.
        guard !isClosed else { return }
        hasUnsentBytes = isNeeded
        // Everything that is sent in this turn leaves in one write.
        if isNeeded, !isWriteSourceActive { queue.async { self.write() } }
    }

    private func read() {
        guard !isClosed else { return }
        unansweredPings = 0
        natsConnection_ProcessReadEvent(connection)
        for (id, subscription) in subscriptions { deliver(id, subscription) }
        loseIfClosed()
    }

    private func deliver(_ id: Int, _ subscription: OpaquePointer) {
        var (count, bytes): (Int32, Int32) = (0, 0)
        // What receives a message may end the subscription, or the link.
        while !isClosed, subscriptions.contains(where: { $0.id == id }),
            natsSubscription_GetPending(subscription, &count, &bytes) == NATS_OK, count > 0
        {
            var message: OpaquePointer?
            switch natsSubscription_NextMsg(&message, subscription, 0) {
            case NATS_OK: if let message { receive(id, NATSMessage(message, used)) }
            // Only replies are expected to say that nobody answers; cnats has dropped it.
            case NATS_NO_RESPONDERS: break
            default: return
            }
        }
    }

    private func write() {
        guard !isClosed, hasUnsentBytes || isWriteSourceActive else { return }
        if hasUnsentBytes { natsConnection_ProcessWriteEvent(connection) }
        loseIfClosed()
        guard !isClosed, hasUnsentBytes != isWriteSourceActive else { return }
        isWriteSourceActive = hasUnsentBytes
        if isWriteSourceActive { writeSource?.resume() } else { writeSource?.suspend() }
    }

    private func loseIfClosed() {
        guard !isClosed, natsConnection_IsClosed(connection) else { return }
        var text: UnsafePointer<CChar>?
        let status = natsConnection_GetLastError(connection, &text)
        let reason = text.map { String(cString: $0) } ?? ""
        lose(reason.isEmpty ? String(cString: natsStatus_GetText(status)) : reason)
    }

    private func lose(_ reason: String) {
        let lost = lost
        close(flushing: false)
        lost?(.unreachable(server: server.endpoint, reason: reason))
    }
}
#endif
