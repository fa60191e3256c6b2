extension Glossary {
    static let entries = [
        Entry(
            id: "alternation", word: "alternation",
            meaning: """
                The servers take turns, many times within one run. Other work on the machine then slows all of them \
                equally, so the ratio of two servers in the same round varies less than their values do.
                """, forms: ["alternation", "in turn"]),
        Entry(
            id: "burst", word: "burst",
            meaning: """
                Several messages that the publisher sends together, in one write. A server can also combine them into \
                one write per listener, instead of one write per message.
                """, forms: ["burst", "bursts"]),
        Entry(
            id: "check", word: "check",
            meaning: """
                A test of correctness, for example that everyone received every message exactly once and in order, or \
                that nobody lost the connection. If a check fails, the run has failed, however fast it was.
                """),
        Entry(
            id: "closed", word: "closed loop",
            meaning: """
                Each sender waits for the reply before it sends again. This shows how much a server can do, but not \
                how long people wait: a slow server simply gets fewer requests.
                """, forms: ["closed loop"]),
        Entry(
            id: "cpu", word: "CPU per delivery",
            meaning: """
                Processor time of the server, including the kernel’s work for it, divided by the messages that reached \
                a listener. Unlike latency, it shows how many listeners a core can serve.
                """, forms: ["cpu per delivery"]),
        Entry(
            id: "delivery", word: "delivery",
            meaning: "One message that reached one listener. A message to a room of 1,000 makes 1,000 deliveries.",
            forms: ["delivery", "deliveries"]),
        Entry(
            id: "durable", word: "durable",
            meaning: "On disk before it is acknowledged, so that it survives a crash or power failure.",
            forms: ["durable", "durably"]),
        Entry(
            id: "floor", word: "kernel floor",
            meaning: """
                A bare loop that calls the kernel’s “send” with the same bytes on as many sockets. Its cost is the \
                kernel’s share; no server that writes to each socket can be much cheaper.
                """, forms: ["kernel floor", "bare kernel"]),
        Entry(
            id: "goal", word: "goal",
            meaning: """
                A performance target that the project has set itself. A missed goal does not mean that the run has \
                failed.
                """),
        Entry(
            id: "intended", word: "intended time",
            meaning: """
                The time at which a message was scheduled to be sent. Latency is measured from that time, so it \
                includes any delay because the sender or the server was busy.
                """, forms: ["intended time"]),
        Entry(
            id: "journal", word: "journal",
            meaning: """
                The file in which Belfry stores every event. It is synced to disk (fsync) before a message is \
                acknowledged, so that the message survives a crash or power failure.
                """, forms: ["journal"]),
        Entry(
            id: "median", word: "median",
            meaning:
                "The middle one of several values: as many are greater as are less. One bad round hardly changes it.",
            forms: ["median"]),
        Entry(
            id: "noise", word: "noise",
            meaning: """
                How much the machine’s speed varies. The same arithmetic is timed repeatedly, and the slowest time is \
                divided by the fastest. At 1, nothing else uses the machine; at 2, others took half of it at times.
                """, forms: ["noise"]),
        Entry(
            id: "open", word: "open loop",
            meaning: """
                Messages are sent at fixed times, regardless of the earlier ones, because people do not stop writing \
                when a server is slow. A stall thus appears in the latencies at its full length.
                """, forms: ["open loop"]),
        Entry(
            id: "percentile", word: "p50, p90, p99, p99.9",
            meaning: """
                Percentiles. p99 is the value that 99 of 100 do not exceed: one in a hundred was slower. p50 is the \
                median. They come from one histogram of all values (HdrHistogram), never from averages of percentiles.
                """, forms: ["p50", "p90", "p99", "p99.9", "percentile", "percentiles"]),
        Entry(
            id: "ratio", word: "ratio",
            meaning: """
                One value divided by another from the same round. In comparisons with other servers it is Belfry’s \
                value divided by theirs: 0.5 × means that Belfry’s is half as large. The median, the least and the \
                greatest of these ratios are shown.
                """, forms: ["ratio", "ratios"]),
        Entry(
            id: "round", word: "round",
            meaning:
                "One turn for everything that is compared: every server, or both variants of the load.",
            forms: ["round", "rounds"]),
        Entry(
            id: "spread", word: "spread",
            meaning: "From the least to the greatest of several rounds. If it is wide, small differences mean little.",
            forms: ["spread"]),
        Entry(
            id: "warmup", word: "warm-up",
            meaning: "The load before measuring begins, so that caches are filled and memory is allocated.",
            forms: ["warm-up", "warmup"]),
        Entry(
            id: "within", word: "within the spread",
            meaning: """
                The rounds disagree: some reach the goal and some do not. The median may do either, but it decides \
                nothing. More rounds on a quieter machine might.
                """, forms: ["within the spread"]),
    ]
}
