import Synchronization

/// Keeps what a client's loop receives until it is requested.
final class Ear: Sendable {
    struct Publication {
        let room: String
        let data: [UInt8]
    }

    private let publications = Mutex<[Publication]>([])

    func hear(_ room: String, _ data: [UInt8]) {
        publications.withLock { $0.append(Publication(room: room, data: data)) }
    }

    func takeAll() -> [Publication] {
        publications.withLock { publications in
            defer { publications = [] }
            return publications
        }
    }
}
