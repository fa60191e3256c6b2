import ChatModel

// The blocks on disk of all channels.
extension ChatState {
    private var allChannels: [ChannelState] {
        Array(channels.values) + imports.runs.flatMap { $0.channels.values.map(\.state) }
    }

    /// Passes the blocks on disk, in no particular order of the channels.
    package func visitBlocks(_ body: (StoredBlock) -> Void) {
        for channel in allChannels { for block in channel.messages.blocks(of: channel.id) { body(block) } }
    }

    /// Passes the runs on disk of a sparse state, in no particular order of the channels.
    package func visitRuns(_ body: (RunPart) -> Void) { for channel in allChannels { channel.visitRuns(body) } }

    /// Uses a block that a compaction has written, unless its messages have changed since.
    ///
    /// - Parameter time: The time of the state that the compaction stored.
    package func adopt(_ block: StoredBlock, asOf time: Int64) {
        (channels[block.channel] ?? imports.channel(block.channel)?.state)?.adopt(block, asOf: time, from: blocks)
    }

    /// The number of parts of the state for `survey` and `forgetBodies`.
    package static var bodyParts: Int { ShardedDictionary<ChannelID, ChannelState>.shardCount }

    private func channels(inPart part: Int) -> [ChannelState] {
        let hidden = part == 0 ? imports.runs.flatMap { $0.channels.values.map(\.state) } : []
        return channels.values(ofShard: part) + hidden
    }

    /// Adds the bodies of a part of the channels to those of others.
    package func survey(part: Int, _ survey: inout BodySurvey) {
        for channel in channels(inPart: part) {
            survey.size += channel.messages.bodySize
            channel.messages.visitForgettable { size, time in
                survey.forgettable[BodySurvey.age(of: time), default: 0] += size
            }
        }
    }

    /// Frees the memory of bodies that are on disk as well.
    ///
    /// - Parameter time: Only bodies of messages up to this time, in milliseconds since 1970.
    package func forgetBodies(part: Int, upTo time: Int64) {
        for channel in channels(inPart: part) { channel.forgetBodies(upTo: time) }
    }
}

/// The memory that bodies take, and how old those are that are on disk as well.
package struct BodySurvey: Sendable {
    /// The memory of all bodies in bytes.
    package fileprivate(set) var size = 0
    /// The bytes that can be freed, by age.
    fileprivate var forgettable: [Int64: Int] = [:]

    package init() {}

    /// About an hour.
    private static let ageBits: Int64 = 22
    fileprivate static func age(of time: Int64) -> Int64 { time >> ageBits }

    /// Returns up to which time bodies must be forgotten, so that the rest has at most a number of bytes; `nil` if none
    /// must.
    package func time(for limit: Int) -> Int64? { plan(for: limit).time }

    /// Returns how many bytes will be left then.
    package func rest(for limit: Int) -> Int { plan(for: limit).rest }

    private func plan(for limit: Int) -> (time: Int64?, rest: Int) {
        var rest = size
        var time: Int64?
        for (age, bytes) in forgettable.sorted(by: { $0.key < $1.key }) where rest > limit {
            rest -= bytes
            time = (age + 1) << Self.ageBits - 1
        }
        return (time, rest)
    }
}
