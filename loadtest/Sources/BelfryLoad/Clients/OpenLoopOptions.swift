import ArgumentParser

/// Options of scenarios that send messages at fixed times.
struct OpenLoopOptions: ParsableArguments {
    @Option(help: "Seconds to measure.")
    var seconds = 10

    @Option(help: "Seconds of load before measuring.")
    var warmup = 2

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Clients that connect or join, or rooms that are filled, concurrently.")
    var concurrency = 64

    @Option(help: "Seconds to wait for the last deliveries.")
    var drain = 10

    func validate() throws {
        guard [seconds, loops, concurrency, drain].allSatisfy({ (1...100_000).contains($0) }) else {
            throw ValidationError("--seconds, --loops, --concurrency and --drain must be 1 to 100000")
        }
        guard (0...3_600).contains(warmup), (1...4_000).contains(bytes) else {
            throw ValidationError("--warmup must be 0 to 3600, --bytes 1 to 4000")
        }
    }

    func pace(rate: Int) -> Pace { Pace(rate: rate, warmupSeconds: warmup, seconds: seconds) }
}
