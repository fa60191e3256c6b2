/// Checks that no acknowledged frame is lost, duplicated, changed or moved. The frames a server finds begin with all
/// those reported durable and continue with those written afterwards, in order.
struct JournalCheck: Check {
    /// The frames written, including those that the current server found.
    private var written: [History.Frame] = []
    private var durable = 0
    /// The number of frames that were durable before the latest sync.
    private var settled = 0
    private var end: History.End?

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .appended(let frame):
            guard frame.sequence == UInt64(written.count + 1) else {
                throw Broken(.nothingLost, "frame \(frame.sequence) was written after frame \(written.count)")
            }
            written.append(frame)
        case .synced(let sequence):
            guard sequence <= UInt64(written.count), sequence > UInt64(durable) else {
                throw Broken(.nothingLost, "frame \(sequence) was reported durable, but \(written.count) were written")
            }
            settled = durable
            durable = Int(sequence)
        case .began(let frames, let wasUnclean, let cutBytes):
            try compare(frames)
            if end == .closed, wasUnclean || cutBytes > 0 {
                throw Broken(.nothingLost, "a cleanly closed journal was found unclean")
            }
            written = frames
            // The server reads and syncs these frames before it serves any client.
            durable = frames.count
            settled = durable
        case .refused(let reason): throw Broken(.startsAgain, reason)
        case .ended(let end): self.end = end
        case .startFailed: end = nil
        case .foundDamaged(let frames?, let cutBytes): try compare(damaged: frames, cutBytes)
        case .foundDamaged(nil, _): break
        case .failed, .compacted, .compactionFailed, .erased, .asked, .answered, .subscribed, .eventReceived,
            .unsubscribed,
            .disconnected, .line, .inputSent, .protocolViolated, .quiet, .reported, .backendCommanded, .backendAnswered,
            .tokenPresented, .tokenAccepted, .cluster:
            break
        }
    }

    private func compare(_ frames: [History.Frame]) throws(Broken) {
        guard frames.count >= durable else {
            throw Broken(.nothingLost, "\(durable) frames were durable, but \(frames.count) were found")
        }
        guard frames.count <= written.count else {
            throw Broken(.nothingLost, "\(written.count) frames were written, but \(frames.count) were found")
        }
        for (found, expected) in zip(frames, written) where found != expected {
            throw Broken(.nothingLost, "frame \(expected.sequence) changed: found \(found), expected \(expected)")
        }
    }

    /// Checks that damage never leads to a wrong state and is never silent. Either every frame is found, or the end was
    /// cut off and reported. A cut may affect only the frames of the last sync, where damage cannot be distinguished
    /// from a torn write.
    private func compare(damaged frames: [History.Frame], _ cutBytes: Int) throws(Broken) {
        guard frames.count <= written.count, zip(frames, written).allSatisfy({ $0 == $1 }) else {
            throw Broken(.damageReported, "a changed byte led to a different history")
        }
        guard frames.count >= durable || cutBytes > 0 else {
            throw Broken(
                .damageReported, "a changed byte removed \(durable - frames.count) frames, and nothing was reported")
        }
        guard frames.count >= settled else {
            throw Broken(
                .damageReported, "a changed byte removed \(durable - frames.count) frames, treated as a torn write")
        }
    }
}
