import API
import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import Dispatch
import FoundationEssentials
import Gateway
import Journal
import SigningSupport
import Synchronization
import Testing
import WireProtocol

extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = UserID(text) else { preconditionFailure("not a user id") }
        self = id
    }
}

let ann: UserID = "ann"

/// A command table with a real engine, and a record of the engine's replies.
final class Desk: DeliveryPort {
    /// Set after initialization, when the desk can be passed as the engine's port.
    private let answers = Mutex<[(command: UInt32, answer: Answer)]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let published = Mutex<[String]>([])

    func deliver(_ batch: [Delivery]) {
        for delivery in batch {
            switch delivery {
            case .answered(_, let command, let answer):
                answers.withLock { $0.append((command, answer)) }
                arrived.signal()
            case .published(_, let published):
                let event = try? JSONDecoder().decode(Event.self, from: Data(published.event.data))
                self.published.withLock { $0.append(event?.type ?? "unreadable") }
            default: break
            }
        }
    }

    private struct Event: Decodable { let type: String }

    /// The types of the events received by attached users.
    var heard: [String] { published.withLock(\.self) }
    func forgetWhatWasHeard() { published.withLock { $0 = [] } }

    func table(tokens: TokenVerifier? = nil) -> CommandTable { CommandTable(engine: engine(), tokens: tokens) }

    /// - Parameter change: Changes the settings for guests, who are enabled here.
    func engine(_ change: (inout GuestSettings) -> Void = { _ in }) -> ChatEngine {
        let queue = DispatchQueue(label: "log")
        var settings = ChatSettings()
        settings.guests.isEnabled = true
        change(&settings.guests)
        let publisher = Publisher(
            queue: queue, ports: [self], rings: RoomRings.Limits(), metrics: NOOPMetricsHandler.instance)
        return ChatEngine(
            log: PassingLog(queue: queue), publisher: publisher, ports: [self], settings: settings,
            metrics: NOOPMetricsHandler.instance, clock: { 1_780_000_000_000 })
    }

    /// Returns the response to a started command, as JSON or a code.
    func next() -> String {
        guard arrived.wait(timeout: .now() + .seconds(10)) == .success else { return "nothing" }
        switch answers.withLock({ $0.removeFirst() }).answer {
        case .success(let value): return String(decoding: WireEncoder().encode(value), as: UTF8.self)
        case .failure(let rejection): return "\(rejection.code.rawValue)"
        }
    }
}

extension CommandTable {
    /// - Returns: The error of the call itself; `nil` if the command was started.
    func refusal(
        _ method: String, _ body: String, by sender: Caller? = .user(ann), command: UInt32 = 1
    ) -> Rejection? {
        refusal(method, Array(body.utf8), by: sender, command: command)
    }

    func refusal(_ method: String, _ body: [UInt8], by sender: Caller?, command: UInt32 = 1) -> Rejection? {
        do throws(Rejection) {
            try start(
                method, body[...], by: sender,
                answerTo: ReturnAddress(connection: ConnectionID(loop: 0, serial: 1), command: command))
            return nil
        } catch {
            return error
        }
    }
}

// MARK: Tokens

func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    String(
        Data(bytes).base64EncodedString().compactMap { character -> Character? in
            switch character {
            case "+": "-"
            case "/": "_"
            case "=": nil
            default: character
            }
        })
}

/// Returns a token signed with a key and hash chosen by the test.
func token(
    header: String = #"{"alg":"HS256","typ":"JWT"}"#, _ payload: String, key: String = secret,
    sign: (_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] = { hmac($0, key: $1) }
) -> String {
    let signed = base64URL(header.utf8) + "." + base64URL(payload.utf8)
    return signed + "." + base64URL(sign(Array(signed.utf8), Array(key.utf8)))
}

let secret = "0123456789abcdef0123456789abcdef"
