import ChatEngine
import ChatModel
import Journal

extension WebhookDispatcher: SharedWebhooks {
    package var progress: WebhookProgress {
        // In this order: a letter is stored before its webhook's position moves past it.
        let positions = positions
        return WebhookProgress(positions: positions, letters: letters?.digests ?? [:])
    }

    package func skip(_ webhook: String, to frame: UInt64) { sender(of: webhook)?.skip(to: frame) }

    package func letters(of webhook: String, after serial: UInt64, limit: Int) -> [SharedLetter] {
        letters?.shared(of: webhook, after: serial, limit: limit) ?? []
    }

    package func body(of serial: UInt64, webhook: String, _ done: @escaping @Sendable ([UInt8]?) -> Void) {
        guard let letters else { return done(nil) }
        letters.body(of: serial, webhook: webhook, done)
    }

    package func keep(
        _ letter: SharedLetter, _ body: [UInt8], of webhook: String, _ done: @escaping @Sendable (Bool) -> Void
    ) {
        guard let letters else { return done(false) }
        letters.keep(letter, body, of: webhook) { [notice] result in
            do throws(DiskError) { done(try result.get()) } catch {
                notice(.writeFailed(error))
                done(false)
            }
        }
    }

    package func removeLetters(of webhook: String, except kept: Set<UInt64>, through frame: UInt64) {
        letters?.removeCopies(of: webhook, except: kept, through: frame)
    }

    package func replayHere(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int?) -> Void) {
        // The writer of a term that has just begun may not send yet.
        if remoteReplay != nil { return done(nil) }
        replay(ids, of: webhook, done)
    }
}
