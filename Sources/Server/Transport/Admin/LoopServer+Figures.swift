import ChatModel
import Gateway

/// What operators may ask of a loop, from any queue. Each query scans everything the loop holds once: a few
/// milliseconds for a hundred thousand connections.
extension LoopServer {
    /// The connections after a serial, in order of arrival; at most `limit`.
    package func connections(after serial: UInt64, limit: Int) async -> [ConnectionFigures] {
        await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: self.figures(after: serial, limit: limit)) }
        }
    }

    /// The rooms after the given one, in order; at most `limit`.
    package func rooms(after room: Room?, limit: Int) async -> [RoomFigures] {
        await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: self.hub.figures(after: room, limit: limit)) }
        }
    }
}
