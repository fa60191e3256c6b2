@testable import LoadReport

/// Sample reports as runs produce them.
enum Samples {
    static let machine = Machine(
        processor: "AMD EPYC 7B13", cores: 2, memory: 8 << 30, kernel: "Linux 6.1.0-18-amd64", noise: 1.34)

    static func book(_ reports: [Report], noise: Double = 1.34) -> ReportBook {
        var machine = machine
        machine.noise = noise
        return ReportBook(
            machine: machine, started: "2026-11-22T05:08:35Z", command: "loadtest/run quick", server: "0.9.0",
            reports: reports)
    }

    static let fanout: Report = {
        var report = Report(
            scenario: "fanout", question: "How fast does one message reach everyone in a large room?",
            method:
                "Everyone joins one room; messages leave at fixed times (open loop), each with its time in its text.")
        report.settings = [
            .init("subscribers", "1000", "who listen"), .init("publishers", "10", "who send, and do not listen"),
            .init("rate", "100", "messages a second, of all together"), .init("seconds", "10", "measured"),
            .init("warmup", "2", "seconds before measuring"), .init("bytes", "300", "of text in a message"),
        ]
        report.figures = [
            .init("CPU per delivery", 4.61, "µs", spread: 4.502...4.88, goal: .atMost(5)),
            .init("deliveries", 99_871, "/s", goal: .atLeast(90_000)),
            .init("delivered within", 31.4, "ms", goal: .atMost(25)),
            .init("server memory", 93.25, "MiB"), .init("set up in", 2.31, "s"),
        ]
        report.distributions = [
            distribution("intended time to delivery", 1_000_000, [1.92, 3.4, 8.9, 14.2, 22.8, 31.4]),
            distribution("intended time to acknowledgement", 1_000, [0.61, 0.93, 2.2, 6.1, nil, 7.4]),
        ]
        report.series = [
            .init(
                "deliveries", over: "seconds", unit: "/s",
                points: (0..<10).map { .init(Double($0), 99_000 + Double($0 * 7_919 % 1_300)) }),
            .init(
                "p99", over: "seconds", unit: "ms",
                points: (0..<10).map { .init(Double($0), 7 + Double($0 * 31 % 17) / 5) }),
        ]
        report.checks = [
            .init("every message heard once by everyone", found: "1,000,000 of 1,000,000", passed: true),
            .init("every offset in order", found: "0 steps out of order", passed: true),
        ]
        report.remarks = ["the tester used 0.95 cores: latencies may be its own"]
        return report
    }()

    static let idle: Report = {
        var report = Report(
            scenario: "idle", question: "What does a connection cost that does nothing?",
            method: "Connects step by step, each in five rooms, and reads the server’s resident memory.")
        report.figures = [.init("memory per connection", 3.8, "KiB", goal: .atMost(4))]
        report.series = [
            .init(
                "resident memory", over: "connections", unit: "MiB",
                points: [.init(0, 30), .init(1_000, 34.1), .init(5_000, 49), .init(10_000, 67.8)])
        ]
        report.checks = [.init("nobody lost the connection", found: "0 of 10,000", passed: true)]
        return report
    }()

    static let broken: Report = {
        var report = Report(
            scenario: "storm", question: "Does everyone come back?", method: "All connections are cut at once.")
        report.title = "without recovery"
        report.figures = [.init("99 % back after", 18.2, "s", goal: .atMost(15))]
        report.checks = [.init("nobody has a gap", found: "3 of 15,000 have one", passed: false)]
        report.problems = ["load-x-s17 misses 2 messages, first 41", "load-x-s90 lost its connection 1 times"]
        return report
    }()

    static let compared: Report = {
        func reading(_ values: [Double], ratio: [Double] = [], goal: Report.Goal? = nil) -> Report.Comparison.Reading? {
            Report.Comparison.Spread(of: values).map {
                .init($0, ratio: .init(of: ratio), goal: goal, rounds: values.count > 1 ? values : nil)
            }
        }
        var report = Report(
            scenario: "compare", question: "What does Belfry take, beside what one would use instead?",
            method: "The same raw load against each, in alternation.")
        report.comparisons = [
            .init(
                "one room of 1,000, single messages",
                method: "1,000 clients listen, 100 messages of 300 bytes a second are sent for five seconds.",
                rounds: 10,
                measures: [
                    .init("CPU per delivery", "µs", better: .less), .init("deliveries", "/s", better: .more),
                    .init("memory for a connection", "KiB", better: .less, note: "Measured once."),
                ],
                contenders: [
                    .init(
                        "Belfry", about: "this version, with token, JSON, chat and journal", role: .belfry,
                        readings: [reading([4.6, 4.5, 4.9]), reading([99_800, 99_900, 99_700]), reading([8.26])],
                        threads: 6),
                    .init(
                        "uWebSockets", about: "20.52 in socketify 0.0.28", role: .peer,
                        readings: [
                            reading([4.8, 4.7, 9], ratio: [0.958, 0.957, 0.544], goal: .atMost(1)),
                            reading([9_980, 9_990, 9_970], ratio: [10, 10, 10]),
                            reading([0.619], ratio: [13.34]),
                        ], threads: 1),
                    .init(
                        "nchan", about: "nginx 1.22.1 with libnginx-mod-nchan 1.3.6", role: .peer,
                        readings: [
                            reading([7.2, 7.1, 9.4], ratio: [0.64, 0.634, 0.52], goal: .atMost(0.6)),
                            reading([98_000, 97_100, 99_000], ratio: [1.02, 1.03, 1.01]),
                            reading([10.4], ratio: [0.795]),
                        ]),
                    .init(
                        "SwiftNIO", about: "a WebSocket server of 150 lines, 2.86", role: .peer,
                        readings: [
                            reading([10.9, 10.1, 12.7], ratio: [0.42, 0.445, 0.386], goal: .atMost(0.6)),
                            reading([90_000, 91_100, 88_000], ratio: [1.11, 1.1, 1.13]),
                            reading([8.1], ratio: [1.02]),
                        ]),
                    .init(
                        "kernel floor", about: "a loop of send on as many sockets", role: .floor,
                        readings: [reading([4.4, 4.35, 4.7], ratio: [1.045, 1.034, 1.043], goal: .atMost(1.05)), nil]),
                ], noise: [1.02, 1.1, 1.81])
        ]
        report.aboutGoals = "The project’s own goals, of CPU alone."
        return report
    }()

    static func distribution(_ name: String, _ count: Int, _ values: [Double?]) -> Report.Distribution {
        .init(
            name, unit: "ms", count: count,
            points: zip([50, 90, 99, 99.9, 99.99, 100], values).compactMap { percentile, value in
                value.map { .init(percentile, $0) }
            })
    }
}
