import ChatDomain
import ChatModel
import Gateway
import Synchronization
import WireProtocol

/// Everything in a simulation that the checks need, in order.
package struct History: Sendable {
    package struct Frame: Equatable, Sendable {
        package let sequence: UInt64
        package let records: [Record]
        package init(sequence: UInt64, records: [Record]) {
            self.sequence = sequence
            self.records = records
        }
    }

    /// An event as a client received it.
    package struct ReceivedEvent: Equatable, Sendable {
        package let offset: UInt64
        /// The event as JSON.
        package let data: [UInt8]
        package init(offset: UInt64, data: [UInt8]) {
            self.offset = offset
            self.data = data
        }
    }

    package enum Recovery: Equatable, Sendable {
        case notAsked
        case recovered(from: RoomPosition, [ReceivedEvent])
        case impossible(from: RoomPosition)
    }

    /// The answer to a client's command.
    package enum Reply: Sendable {
        /// - Parameter message: The message in the answer, if there is one.
        case done(message: Message?)
        case refused(code: Int)
    }

    /// The way a server's life ended.
    package enum End: Equatable, Sendable {
        case powerCut
        case killed
        case closed
    }

    /// A change in a client's connection.
    package enum Line: Equatable, Sendable {
        case opened
        /// The peer or the network closed it.
        case broke
        /// Nothing arrives any more, and neither side learns of it.
        case fellSilent
        /// The server closed it with a code.
        case closed(code: Int)
        case left
    }

    package enum Moment: Sendable {
        /// A server started with these frames.
        case began([Frame], wasUnclean: Bool, cutBytes: Int)
        /// A server failed to start because of the disk.
        case startFailed(String)
        /// A server refused to start or to replay the data it found.
        case refused(String)
        /// The engine appended a command's records, which may not be durable yet.
        case appended(Frame)
        /// The log reported that everything up to this frame is durable.
        case synced(upTo: UInt64)
        /// The log reported a disk failure.
        case failed(String)
        /// A snapshot was made while the server ran.
        case compacted(upTo: UInt64)
        case compactionFailed(String)
        /// A server has erased deleted users from its disk, where something may be left.
        case erased(upTo: UInt64, leaks: [String])
        /// The app's backend sent a command, and later received its answer.
        case backendCommanded(number: UInt32, any Request)
        case backendAnswered(number: UInt32, Answer)
        /// A client presented a token to connect or refresh, and the server accepted it.
        case tokenPresented(client: Int, command: UInt32, UserID, issuedAt: Int64)
        case tokenAccepted(client: Int, command: UInt32)
        case asked(client: Int, user: UserID, command: UInt32, any Request)
        case answered(client: Int, command: UInt32, Reply)
        /// The client is subscribed to the room from this point on.
        case subscribed(client: Int, user: UserID, Room, RoomPosition, Recovery)
        case eventReceived(client: Int, Room, ReceivedEvent)
        case unsubscribed(client: Int, Room)
        case disconnected(client: Int)
        case line(client: Int, Line)
        /// This was the last durable frame when the client's next input was sent.
        case inputSent(client: Int, sentAt: UInt64)
        /// The client received something that violates the protocol.
        case protocolViolated(client: Int, String)
        /// Every command has been answered, and all sent data has been received.
        case quiet
        /// The chat's state as reported at a quiet moment.
        case reported(View)
        case ended(End)
        /// Only in simulations of several nodes.
        case cluster(ClusterMoment)
        /// The frames that a server found in a copy of the disk with a changed byte; `nil` when it refused to start.
        case foundDamaged([Frame]?, cutBytes: Int)
    }

    /// What happens in a cluster. Nodes have indices; the frames of `appended` and `synced` are those of the shared log.
    package enum ClusterMoment: Sendable {
        /// A term began in the shared log.
        case termBegan(UInt64, writer: String)
        /// The shared log has the outcome of a command that a node received.
        case carriedOut(CommandOrigin)
        /// The shared log does not follow its own rules.
        case logBroken(String)
        /// A node's server started with these frames in its journal.
        case nodeBegan(Int, [Frame], wasUnclean: Bool)
        /// A node's server failed to start because of the disk.
        case nodeStartFailed(Int)
        case nodeEnded(Int, End)
        /// A node's server ended on its own, because its disk failed or it had to leave the cluster.
        case nodeFailed(Int, String, isExpected: Bool)
        case nodeStopped(Int)
        case nodeContinued(Int)
        /// The contact between nodes or with the log changed.
        case contactChanged(String)
        /// The writer did not tell a node in time what reads must see, so that they see what the node has.
        case readsLocally(Int)
        case clientOpened(client: Int, node: Int)
        /// A client asked to connect or to subscribe.
        case readBegan(client: Int, command: UInt32)
        /// The rooms that follow come from the reply to that, or from no reply.
        case readAnswered(client: Int, command: UInt32?)
        case backendSent(number: UInt32, node: Int)
        /// The members' presence according to a node, at a quiet moment.
        case presence(Int, [PresentMember])
    }

    package struct PresentMember: Sendable {
        package let user: UserID
        package let isOnline: Bool
        package init(user: UserID, isOnline: Bool) {
            self.user = user
            self.isOnline = isOnline
        }
    }

    package var moments: [Moment] = []
    package init() {}
}

/// The chat as queries report it.
package struct View: Sendable {
    package struct Channel: Sendable {
        package let id: ChannelID
        /// All messages including deleted ones, by offset.
        package var messages: [Message]
        /// Joined members.
        package var members: [Member]
        package init(id: ChannelID, messages: [Message], members: [Member]) {
            self.id = id
            self.messages = messages
            self.members = members
        }
    }

    /// Sorted by id.
    package var channels: [Channel]
    /// Answers to users about their channels, as JSON or as an error code.
    package var answers: [[UInt8]]
    package init(channels: [Channel], answers: [[UInt8]]) {
        self.channels = channels
        self.answers = answers
    }
}

/// Records the moments. The queues that use it never run at the same time.
final class Recorder: Sendable {
    private let state = Mutex((history: History(), hash: TraceHash(), durable: UInt64(0)))

    func record(_ moment: History.Moment, _ hashing: (inout TraceHash) -> Void = { _ in }) {
        state.withLock { state in
            state.history.moments.append(moment)
            switch moment {
            case .synced(let sequence): state.durable = sequence
            case .began(let frames, _, _): state.durable = UInt64(frames.count)
            default: break
            }
            hashing(&state.hash)
        }
    }

    func hash(_ hashing: (inout TraceHash) -> Void) { state.withLock { hashing(&$0.hash) } }

    /// The last frame that the log has reported durable.
    var durable: UInt64 { state.withLock(\.durable) }

    var history: History { state.withLock(\.history) }
    var traceHash: String { state.withLock(\.hash.text) }
}
