import ChatDomain
import ChatModel
import Gateway
import Synchronization
import WireProtocol

/// Everything that happened in a simulation, as far as the checkers want to know it, in its order.
package struct History: Sendable {
    package struct Frame: Equatable, Sendable {
        package let sequence: UInt64
        package let records: [Record]
        package init(sequence: UInt64, records: [Record]) {
            self.sequence = sequence
            self.records = records
        }
    }

    /// An event as a client heard it.
    package struct Heard: Equatable, Sendable {
        package let offset: UInt64
        /// JSON of the event.
        package let data: [UInt8]
        package init(offset: UInt64, data: [UInt8]) {
            self.offset = offset
            self.data = data
        }
    }

    package enum Recovery: Equatable, Sendable {
        case notAsked
        case recovered(from: StreamPosition, [Heard])
        case impossible(from: StreamPosition)
    }

    /// What a client was told of its command.
    package enum Reply: Sendable {
        /// - Parameter message: Where the answer is one.
        case done(message: Message?)
        case refused(code: Int)
    }

    /// How a server came to its end.
    package enum End: Equatable, Sendable {
        case powerCut
        case killed
        case closed
    }

    /// What befell a client's connection.
    package enum Line: Equatable, Sendable {
        case opened
        /// The peer or the network has ended it.
        case broke
        /// Nothing arrives any more, which nobody is told.
        case fellSilent
        /// The server has said why it ends.
        case closed(code: Int)
        case left
    }

    package enum Moment: Sendable {
        /// A server began, having found these frames.
        case began([Frame], wasUnclean: Bool, cutBytes: Int)
        /// A server could not begin, for the disk failed it.
        case beganNot(String)
        /// A server refused to begin, or to take in what it found.
        case refused(String)
        /// The engine has written a command's records down; they need not be durable.
        case appended(Frame)
        /// The log says that everything up to this frame is durable.
        case synced(upTo: UInt64)
        /// The log says that the disk has failed.
        case failed(String)
        /// Beside the server, a snapshot was made.
        case compacted(upTo: UInt64)
        case compactionFailed(String)
        /// The app's backend asks, and is answered.
        case commanded(number: UInt32, any Request)
        case obeyed(number: UInt32, Answer)
        /// A client shows a token, to connect or to stay, and is let in with it.
        case showed(client: Int, command: UInt32, UserID, issuedAt: Int64)
        case cameIn(client: Int, command: UInt32)
        case asked(client: Int, user: UserID, command: UInt32, any Request)
        case answered(client: Int, command: UInt32, Reply)
        /// From here on the client hears the room.
        case seated(client: Int, user: UserID, Room, StreamPosition, Recovery)
        case heard(client: Int, Room, Heard)
        case unseated(client: Int, Room)
        case disconnected(client: Int)
        case line(client: Int, Line)
        /// What the client takes in next left the server when this frame was the last that was durable.
        case took(client: Int, sentAt: UInt64)
        /// The client has received what no server may say.
        case misheard(client: Int, String)
        /// Everything asked was answered, and everything said has been heard.
        case quiet
        /// What the chat tells whoever asks, at a quiet moment.
        case told(View)
        case ended(End)
        /// What a server finds in a copy of the disk in which a byte was changed; `nil` when it refuses to begin.
        case foundDamaged([Frame]?, cutBytes: Int)
    }

    package var moments: [Moment] = []
    package init() {}
}

/// The chat as queries tell it.
package struct View: Sendable {
    package struct Channel: Sendable {
        package let id: ChannelID
        /// Every message, deleted ones too, by offset.
        package var messages: [Message]
        /// Joined people.
        package var members: [Member]
        package init(id: ChannelID, messages: [Message], members: [Member]) {
            self.id = id
            self.messages = messages
            self.members = members
        }
    }

    /// In the order of their ids.
    package var channels: [Channel]
    /// What people are told of their channels, as JSON or as a code.
    package var answers: [[UInt8]]
    package init(channels: [Channel], answers: [[UInt8]]) {
        self.channels = channels
        self.answers = answers
    }
}

/// Takes the moments down. The queues that write here never run at the same time.
final class Recorder: Sendable {
    private let state = Mutex((history: History(), hash: TraceHash(), durable: UInt64(0)))

    func note(_ moment: History.Moment, _ hashing: (inout TraceHash) -> Void = { _ in }) {
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

    /// The last frame of which the log has said that it is durable.
    var durable: UInt64 { state.withLock(\.durable) }

    var history: History { state.withLock(\.history) }
    var traceHash: String { state.withLock(\.hash.text) }
}
