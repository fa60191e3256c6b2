import BelfryClient
import LoadReport

/// The parameters of a run with idle connections.
struct IdlePlan: Codable, Sendable {
    /// Distinguishes the users and rooms of this run from those of others on the same server.
    let run: String
    /// The rooms that every user is in.
    let channels: [ChannelID]
    var steps: [Int]
    var rooms: Int
    var loops: Int
    var settleSeconds: Int
    var speaksTLS: Bool

    var users: Int { steps.last ?? 0 }
    func name(of user: Int) -> String { "load-\(run)-i\(user)" }
}

/// The server's memory at each step, in bytes.
struct IdleResult {
    struct Step {
        let connections: Int
        let memory: Int
        let bytesPerConnection: Int
    }

    let plan: IdlePlan
    let memoryBefore: Int
    /// The number of processes with clients.
    var processes = 1
    var steps: [Step] = []
    var found = IdleShare.Answer()

    var report: Report {
        let goal = Report.Goal.atMost(plan.speaksTLS ? 25 : 4)
        let figures = steps.reversed().map { step in
            Report.Figure(
                "memory per connection, with \(step.connections)", Double(step.bytesPerConnection) / 1_024, "KiB",
                // The memory of a few hundred connections is within the allocator's noise.
                goal: step.connections >= 1_000 ? goal : nil)
        }
        return Report(
            scenario: "idle", question: "How much of the server's memory does one more connection take?",
            method: "All users join the same rooms and disconnect. Then they connect, step by step, and do nothing. "
                + "After each step the server's resident memory is read, and the memory with no connections is "
                + "subtracted: the chat's own users and memberships are not counted.",
            settings: [
                .init(
                    "connections", plan.steps.map(String.init).joined(separator: ", "),
                    "connections at which memory is read"),
                .init("rooms", "\(plan.rooms)", "rooms that every user is in"),
                .init("tls", plan.speaksTLS ? "yes" : "no", "whether connections are encrypted"),
                .init("processes", "\(processes)", "processes that run the clients"),
                .init("settle", "\(plan.settleSeconds) s", "waiting after each step"),
            ],
            figures: figures + [.init("memory with nobody connected", Double(memoryBefore) / 1_048_576, "MiB")],
            series: [
                .init(
                    "server memory", over: "connections", unit: "MiB",
                    points: [.init(0, Double(memoryBefore) / 1_048_576)]
                        + steps.map { .init(Double($0.connections), Double($0.memory) / 1_048_576) })
            ],
            checks: [
                .init(
                    "everyone is connected at the end", found: "\(plan.users - found.notConnected) of \(plan.users)",
                    passed: found.notConnected == 0),
                .init("nobody lost the connection", found: "\(found.lost) lost", passed: found.lost == 0),
                .init(
                    "every client was subscribed to every room", found: "\(found.notTold) not subscribed",
                    passed: found.notTold == 0),
            ],
            problems: found.problems.lines)
    }
}
