import ChatEngine
import Dispatch
internal import FoundationEssentials
import Gateway
import Replication

/// Keeps a node's webhooks in step with those of the node that sends, which is the writer. Confined to `queue`.
///
/// The writer tells how far its webhooks have come, twice a second. A node that has the same dead letters drops the events
/// up to there. Any other first asks for the letters that it lacks. So at any time, each node has an event in its queue or
/// among its letters until a writer is done with it, and any of them can go on when the writer dies.
package final class DeadLetterExchange: @unchecked Sendable {
    private static let requestMilliseconds = 1_000
    /// A replay reads letters from the disk before it is answered.
    private static let replayMilliseconds = 10_000
    static let lettersPerPage = 500
    static let bytesPerPiece = 262_144

    private let node: NodeID
    private let bus: any Bus
    private let webhooks: any SharedWebhooks
    private let queue = DispatchQueue(label: "belfry.cluster.webhooks")
    private var term: LogTerm?
    private var services: [any BusSubscription] = []
    private var copying: DeadLetterCopy?
    private var copies: UInt64 = 0
    private var isOver = false

    package init(_ node: NodeID, _ bus: any Bus, _ webhooks: any SharedWebhooks) {
        self.node = node
        self.bus = bus
        self.webhooks = webhooks
    }

    /// Callable from any queue, as all package methods.
    package func start() {
        queue.async { [self] in
            services = [
                bus.serve(Subjects.webhooks) { [weak self] message, _ in
                    guard let self, let proto = ProtoWebhookProgress(encoded: message) else { return }
                    queue.async { self.hear(proto) }
                },
                bus.serve(Subjects.letters(of: node)) { [weak self] message, reply in
                    guard let self, let reply, let question = ProtoLetterQuestion(encoded: message) else { return }
                    queue.async { reply(self.page(question).encoded) }
                },
                bus.serve(Subjects.letterBodies(of: node)) { [weak self] message, reply in
                    guard let self, let reply, let question = ProtoLetterBodyQuestion(encoded: message) else { return }
                    piece(question) { reply($0.encoded) }
                },
                bus.serve(Subjects.replays(of: node)) { [webhooks] message, reply in
                    guard let reply, let question = ProtoReplayQuestion(encoded: message) else { return }
                    webhooks.replayHere(question.all ? nil : question.eventIds, of: question.webhook) { count in
                        var answer = ProtoReplayAnswer()
                        guard let count else { return }
                        answer.replayed = UInt64(count)
                        reply(answer.encoded)
                    }
                },
            ]
        }
    }

    package func stop() {
        queue.async { [self] in
            isOver = true
            (services, copying) = ([], nil)
        }
    }

    /// A term began, of this node or another.
    package func begin(_ term: LogTerm) {
        queue.async { [self] in
            self.term = term
            copying = nil
        }
    }

    /// Tells the others how far this node's webhooks have come, if it is the writer.
    package func tell() {
        queue.async { [self] in
            guard term?.writer == node, !isOver else { return }
            let progress = webhooks.progress
            guard !progress.positions.isEmpty else { return }
            var proto = ProtoWebhookProgress()
            (proto.node, proto.positions, proto.letters) = (ProtoNode(node), progress.positions, progress.letters)
            bus.publish(proto.encoded, to: Subjects.webhooks)
        }
    }

    /// Has the writer deliver dead letters again.
    ///
    /// - Parameter done: Gets the number of letters; `nil` if there is no answer in time.
    package func replay(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int?) -> Void) {
        queue.async { [self] in
            guard let writer = term?.writer, writer != node, !isOver else { return done(nil) }
            var question = ProtoReplayQuestion()
            (question.webhook, question.all, question.eventIds) = (webhook, ids == nil, ids ?? [])
            bus.request(
                question.encoded, to: Subjects.replays(of: writer), milliseconds: Self.replayMilliseconds
            ) { reply in
                guard case .reply(let bytes) = reply, let answer = ProtoReplayAnswer(encoded: bytes) else {
                    return done(nil)
                }
                done(Int(clamping: answer.replayed))
            }
        }
    }

    // MARK: The writer's side

    private func page(_ question: ProtoLetterQuestion) -> ProtoLetterPage {
        let letters = webhooks.letters(of: question.webhook, after: question.after, limit: Self.lettersPerPage + 1)
        var page = ProtoLetterPage()
        page.letters = letters.prefix(Self.lettersPerPage).map(ProtoLetter.init)
        page.isLast = letters.count <= Self.lettersPerPage
        return page
    }

    private func piece(
        _ question: ProtoLetterBodyQuestion, _ done: @escaping @Sendable (ProtoLetterBodyPiece) -> Void
    ) {
        webhooks.body(of: question.serial, webhook: question.webhook) { body in
            var piece = ProtoLetterBodyPiece()
            if let body {
                let rest = body.dropFirst(Int(clamping: question.offset))
                piece.exists = true
                piece.bytes = Data(rest.prefix(Self.bytesPerPiece))
                piece.isLast = rest.count <= Self.bytesPerPiece
            }
            done(piece)
        }
    }

    // MARK: The side of all others

    private func hear(_ proto: ProtoWebhookProgress) {
        guard let sender = NodeID(proto.node), sender != node, sender == term?.writer, !isOver else { return }
        let (known, mine) = (webhooks.progress.positions, webhooks.progress.letters)
        var different: [String] = []
        // What others call a webhook becomes part of a file's name only if the log has created it.
        for webhook in Set(known.keys).union(mine.keys).sorted() {
            if proto.letters[webhook] != mine[webhook] {
                different.append(webhook)
            } else if let position = proto.positions[webhook] {
                webhooks.skip(webhook, to: position)
            }
        }
        // A copy under way goes on; what it does not include comes with later news.
        guard copying == nil, !different.isEmpty else { return }
        copies += 1
        copying = DeadLetterCopy(copies, of: different, positions: proto.positions)
        askForPage()
    }

    private func request(
        _ message: [UInt8], _ subject: (NodeID) -> String,
        _ answered: @escaping @Sendable (DeadLetterExchange, [UInt8]) -> Void
    ) {
        guard let writer = term?.writer, let number = copying?.number else { return }
        bus.request(message, to: subject(writer), milliseconds: Self.requestMilliseconds) { [weak self] reply in
            guard let self else { return }
            queue.async {
                guard self.copying?.number == number else { return }
                // Otherwise, the next news begin again.
                guard case .reply(let bytes) = reply else { return self.copying = nil }
                answered(self, bytes)
            }
        }
    }

    private func askForPage() {
        guard let copy = copying else { return }
        guard let webhook = copy.webhook else { return copying = nil }
        var question = ProtoLetterQuestion()
        (question.webhook, question.after) = (webhook, copy.last)
        request(question.encoded, Subjects.letters) { exchange, bytes in
            guard let page = ProtoLetterPage(encoded: bytes), let copy = exchange.copying,
                copy.add(page, known: exchange.webhooks.letters(of: webhook, after: copy.last, limit: .max))
            else { return exchange.copying = nil }
            exchange.askForBody()
        }
    }

    /// Asks for the next letter that this node lacks, then for the next page.
    private func askForBody() {
        guard let copy = copying, let webhook = copy.webhook else { return }
        guard let letter = copy.missing.first else {
            guard copy.isLastPage else { return askForPage() }
            let position = copy.positions[webhook] ?? 0
            webhooks.removeLetters(of: webhook, except: copy.serials, through: position)
            webhooks.skip(webhook, to: position)
            copy.finishWebhook()
            return askForPage()
        }
        var question = ProtoLetterBodyQuestion()
        (question.webhook, question.serial, question.offset) = (webhook, letter.serial, UInt64(copy.body.count))
        request(question.encoded, Subjects.letterBodies) { exchange, bytes in
            guard let piece = ProtoLetterBodyPiece(encoded: bytes), let copy = exchange.copying, copy.add(piece) else {
                return exchange.copying = nil
            }
            guard piece.exists, piece.isLast else {
                // Without the letter, the writer is done with its event.
                if !piece.exists { copy.finishLetter() }
                return exchange.askForBody()
            }
            let number = copy.number
            exchange.webhooks.keep(letter, copy.body, of: webhook) { [weak exchange] isKept in
                guard let exchange else { return }
                exchange.queue.async {
                    guard exchange.copying?.number == number else { return }
                    guard isKept else { return exchange.copying = nil }
                    exchange.copying?.finishLetter()
                    exchange.askForBody()
                }
            }
        }
    }
}

extension Subjects {
    static let webhooks = "webhooks"
    static func letters(of node: NodeID) -> String { "letters.\(node.name).\(node.start)" }
    static func letterBodies(of node: NodeID) -> String { "letterbodies.\(node.name).\(node.start)" }
    static func replays(of node: NodeID) -> String { "replays.\(node.name).\(node.start)" }
}
