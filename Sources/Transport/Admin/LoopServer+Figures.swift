import ChatModel
import Gateway

/// What those who run the server may ask of a loop. Each question looks at all that the loop has once: some milliseconds
/// for a hundred thousand. From any queue.
extension LoopServer {
    /// The connections behind a serial, in the order in which they came; at most `limit`.
    package func connections(after serial: UInt64, limit: Int) async -> [ConnectionFigures] {
        await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: self.figures(after: serial, limit: limit)) }
        }
    }

    /// The rooms behind one, in their order; at most `limit`.
    package func rooms(after room: Room?, limit: Int) async -> [RoomFigures] {
        await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: self.hub.figures(after: room, limit: limit)) }
        }
    }
}
