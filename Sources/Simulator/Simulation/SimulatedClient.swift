import ChatModel
import FoundationEssentials
import WireProtocol

/// A user's device. It connects over the network, sends commands, receives events, remembers its positions, and resends
/// unanswered commands. It knows only the bytes the server sent.
final class SimulatedClient {
    enum State: Equatable {
        case away
        /// The client has sent the upgrade request.
        case opening
        /// The client has sent `connect`.
        case attaching
        case live
    }

    /// A command that has not been answered yet.
    enum Question {
        case connect
        case call(any Request)
        /// - Parameter from: The position from which it asked to recover.
        case subscribe(Room, from: RoomPosition?)
        case unsubscribe(Room)
        case refresh
    }

    let index: Int
    let user: UserID
    let loop: Int
    let recorder: Recorder
    /// The node that it is or was last connected to; `nil` without a cluster.
    var node: Int?
    var random: SplitMix
    /// Used only for tokens, so that they do not influence other decisions.
    private var tokenRandom: SplitMix
    private let clock: SimulatedClock
    /// The second in which its token was issued; nil when it needs a new token.
    var tokenSecond: Int64?
    /// Whether the server has removed this guest, who then does not return.
    var isGone = false
    var state = State.away
    private(set) var link: SimulatedLink?
    var reader = FrameReader()
    var writer: FrameWriter
    private var lastCommand: UInt32 = 0
    /// The position in each room that the client was ever subscribed to.
    var positions: [Room: RoomPosition] = [:]
    var subscriptions: Set<Room> = []
    /// The positions when a simulation of several nodes last looked.
    var seen: [Room: RoomPosition] = [:]
    var waiting: [(command: UInt32, question: Question)] = []
    /// Sends with an unknown outcome, in order.
    private var unknown: [SendMessage] = []
    /// The time until which the client reads nothing.
    var pausedUntil: Int64 = 0
    var lastStamp: UInt64?
    /// Whether everything that the client recently sent has arrived immediately.
    var isPrompt = false

    init(index: Int, user: UserID, loop: Int, recorder: Recorder, clock: SimulatedClock, random: SplitMix) {
        self.clock = clock
        tokenRandom = SplitMix(seed: UInt64(index) &* 77 &+ 5)
        self.index = index
        self.user = user
        self.loop = loop
        self.recorder = recorder
        self.random = random
        writer = FrameWriter(random: random)
    }

    // MARK: Connection

    func connect(_ link: SimulatedLink) {
        state = .opening
        self.link = link
        reader = FrameReader()
        lastStamp = nil
        record(.line(client: index, .opened))
        link.send(FrameWriter.upgrade)
    }

    /// The ways a client disconnects on its own.
    enum Leaving: CaseIterable {
        case closing, hangingUp, silently
    }

    func leave(_ leaving: Leaving) {
        guard let link else { return }
        switch leaving {
        case .closing:
            link.send(writer.close())
            link.clientCloses()
        case .hangingUp: link.clientCloses()
        case .silently: link.cut()
        }
        disconnect(leaving == .silently ? .fellSilent : .left)
    }

    /// Disconnects. The outcome of unanswered commands is then unknown.
    func disconnect(_ line: History.Line) {
        guard state != .away else { return }
        for case (_, .call(let send as SendMessage)) in waiting { unknown.append(send) }
        waiting = []
        state = .away
        subscriptions = []
        link = nil
        pausedUntil = 0
        record(.line(client: index, line))
        record(.disconnected(client: index))
    }

    // MARK: Sending

    /// Removes and returns the next send with an unknown outcome.
    func nextUnknown() -> SendMessage? { unknown.isEmpty ? nil : unknown.removeFirst() }
    func retry(_ send: SendMessage) { unknown.append(send) }
    var hasUnknown: Bool { !unknown.isEmpty }

    /// Sends commands in one text frame, one per line.
    func send(_ commands: [String]) {
        guard !commands.isEmpty else { return }
        link?.send(writer.text(Array(commands.joined(separator: "\n").utf8)))
    }

    /// Returns the JSON of a command and starts waiting for its answer.
    func command(_ question: Question) -> String {
        lastCommand += 1
        waiting.append((lastCommand, question))
        switch question {
        case .connect, .subscribe: recordRead(.readBegan(client: index, command: lastCommand))
        case .call, .unsubscribe, .refresh: break
        }
        switch question {
        case .connect, .refresh:
            // Some clients reuse their token.
            if tokenSecond == nil || tokenRandom.chance(percent: 60) { tokenSecond = clock.now / 1_000 }
            let issuedAt = tokenSecond ?? 0
            record(.tokenPresented(client: index, command: lastCommand, user, issuedAt: issuedAt))
        default: break
        }
        return #"{"id":\#(lastCommand),\#(body(of: question))}"#
    }

    private func body(of question: Question) -> String {
        switch question {
        case .connect:
            let subs = positions.sorted { $0.key.name < $1.key.name }.map { #""\#($0.name)":{\#(Self.recovery($1))}"# }
            let wanted = random.chance(percent: 20) ? #""data":{"subscribe":"none"},"# : ""
            return #""connect":{"token":"\#(token)",\#(wanted)"subs":{\#(subs.joined(separator: ","))}}"#
        case .call(let request):
            let encoder = JSONEncoder()
            // The hash of a run must be the same in every process.
            encoder.outputFormatting = .sortedKeys
            let data = (try? encoder.encode(request)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
            recorder.record(.asked(client: index, user: user, command: lastCommand, request)) { $0.add(data) }
            return #""rpc":{"method":"\#(type(of: request).method)","data":\#(data)}"#
        case .subscribe(let room, let from?):
            // Some clients prefer an error to starting over.
            let flag = random.chance(percent: 20) ? #","flag":2"# : ""
            return #""subscribe":{"channel":"\#(room.name)",\#(Self.recovery(from))\#(flag)}"#
        case .subscribe(let room, nil): return #""subscribe":{"channel":"\#(room.name)"}"#
        case .unsubscribe(let room): return #""unsubscribe":{"channel":"\#(room.name)"}"#
        case .refresh: return #""refresh":{"token":"\#(token)"}"#
        }
    }

    /// A token; some expire soon.
    private var token: String {
        "\(user.rawValue):\(random.chance(percent: 20) ? random.below(20_000) + 1 : 0):\(tokenSecond ?? 0)"
    }

    private static func recovery(_ position: RoomPosition) -> String {
        #""recover":true,"offset":\#(position.offset),"epoch":"\#(position.epoch)""#
    }

    /// Records a moment of a read, in a cluster.
    func recordRead(_ moment: History.ClusterMoment) { if node != nil { recorder.record(.cluster(moment)) } }

    func record(_ moment: History.Moment) { recorder.record(moment) { $0.add(UInt64(self.index)) } }
}
