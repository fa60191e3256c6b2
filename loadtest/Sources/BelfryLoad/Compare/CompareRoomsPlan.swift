import ArgumentParser

/// The load of the small-rooms case on each server.
struct CompareRoomsPlan {
    var rooms = 2_000
    /// Members of each room; every member is one connection.
    var members = 8
    var pace = Pace(rate: 1_250, warmupSeconds: 1, seconds: 5)
    /// Bytes of text in a message.
    var textBytes = 300
    /// Turns of each server.
    var rounds = 10
    /// Seconds to wait for the last deliveries.
    let drainSeconds = 10

    /// The most members of a room: a message's deliveries are one bit each.
    static let memberLimit = UInt64.bitWidth

    var connections: Int { rooms * members }
    var measuredMessages: Int { pace.messages - pace.warmupMessages }

    /// Descriptors for the clients of one server, as the servers run one after the other, and some for the process
    /// itself.
    var descriptors: Int { connections + FileLimit.own }

    /// - Throws: `ValidationError` for sizes that cannot be measured.
    func check() throws {
        guard (1...50_000).contains(rooms), (1...Self.memberLimit).contains(members), connections <= 100_000 else {
            throw ValidationError(
                "--rooms must be 1 to 50000, --members 1 to \(Self.memberLimit), and their product at most 100000"
            )
        }
        guard (1...100_000).contains(pace.rate), (1...3_600).contains(pace.seconds),
            (0...3_600).contains(pace.warmupSeconds)
        else {
            throw ValidationError("--rate must be 1 to 100000, --seconds 1 to 3600 and --warmup 0 to 3600")
        }
        guard pace.messages <= 10_000_000 else {
            throw ValidationError("at most 10000000 messages per turn are possible")
        }
        // 4,000 bytes of text are what a message of Belfry's may have.
        guard (1...4_000).contains(textBytes) else { throw ValidationError("--bytes must be 1 to 4000") }
    }
}
