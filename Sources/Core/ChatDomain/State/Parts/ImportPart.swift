import ChatModel

/// An import, without the channels that it hides (`PR3`).
package struct ImportPart: Equatable, Sendable {
    package var id: String
    package var source: String
    package var stage: Import.State
    package var lastLine: Int
    package var startedAt: Int64
    package var endedAt: Int64?
    package var channelCount: Int
    package var settledCount: Int
    package var messageCount: Int

    package init(
        id: String, source: String, stage: Import.State, lastLine: Int, startedAt: Int64, endedAt: Int64?,
        channelCount: Int, settledCount: Int, messageCount: Int
    ) {
        self.id = id
        self.source = source
        self.stage = stage
        self.lastLine = lastLine
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.channelCount = channelCount
        self.settledCount = settledCount
        self.messageCount = messageCount
    }
}

extension ImportPart: Weighed {
    package var weight: Int { PieceWeight.text(id) + PieceWeight.text(source) + 8 * PieceWeight.number }
}
