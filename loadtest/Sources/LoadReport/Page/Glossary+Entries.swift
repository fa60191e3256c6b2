extension Glossary {
    static let entries = [
        Entry(
            id: "alternation", word: "alternation",
            meaning: """
                The servers take turns, again and again within one run. What else the machine does then slows all of them \
                alike, so the ratio of two servers in the same round moves less than their values do.
                """, forms: ["alternation", "in turn"]),
        Entry(
            id: "burst", word: "burst",
            meaning: """
                Several messages that the publisher sends at once, in one write. A server can put them into one write for \
                each listener too, and then pays for one instead of many.
                """, forms: ["burst", "bursts"]),
        Entry(
            id: "check", word: "check",
            meaning: """
                Asks whether the result is right: every message was heard by everyone exactly once and in order, nobody \
                lost the connection. A run that fails one is a failed run, however fast it was.
                """),
        Entry(
            id: "closed", word: "closed loop",
            meaning: """
                Each sender waits for the answer before it sends again. It shows how much a server can do, but not how \
                long people wait: a slow server is simply asked less often.
                """, forms: ["closed loop"]),
        Entry(
            id: "cpu", word: "CPU per delivery",
            meaning: """
                Processor time that the server used, its own and the kernel’s on its behalf, divided by the messages that \
                reached a listener. Unlike latency it says how many listeners a core can serve.
                """, forms: ["cpu per delivery"]),
        Entry(
            id: "delivery", word: "delivery",
            meaning: "One message that reached one listener. A message to a room of 1,000 makes 1,000 deliveries.",
            forms: ["delivery", "deliveries"]),
        Entry(
            id: "durable", word: "durable",
            meaning: "On the disk before it is acknowledged: a crash or power failure cannot take it back.",
            forms: ["durable", "durably"]),
        Entry(
            id: "floor", word: "kernel floor",
            meaning: """
                A plain loop that calls the kernel’s “send” with the same bytes on as many sockets, and does nothing else. \
                What it takes is the kernel’s part; no server that writes to each socket can be far below it.
                """, forms: ["kernel floor", "bare kernel"]),
        Entry(
            id: "goal", word: "goal",
            meaning: """
                Asks whether a figure is good enough, by a target that the project has set itself. A missed goal does not \
                make the run a failed one.
                """),
        Entry(
            id: "intended", word: "intended time",
            meaning: """
                When a message should have left, by the schedule. Latency counts from there, so a message that had to wait \
                because the sender or the server was busy counts with its waiting.
                """, forms: ["intended time"]),
        Entry(
            id: "journal", word: "journal",
            meaning: """
                The file in which Belfry keeps what happened. It is synced to the disk (fsync) before a message is \
                acknowledged, so that a crash or power failure cannot take it back.
                """, forms: ["journal"]),
        Entry(
            id: "median", word: "median",
            meaning:
                "The middle one of several values: as many are greater as are less. One bad round cannot move it far.",
            forms: ["median"]),
        Entry(
            id: "noise", word: "noise",
            meaning: """
                How unevenly the machine works. The same piece of arithmetic is timed again and again: the slowest divided \
                by the fastest. 1 is a machine that does nothing else; 2 means that others took half of it at times.
                """, forms: ["noise"]),
        Entry(
            id: "open", word: "open loop",
            meaning: """
                Messages leave at fixed times, whatever became of those before, as people do not stop writing because a \
                server is slow. This way a stall shows in the latencies in its full length.
                """, forms: ["open loop"]),
        Entry(
            id: "percentile", word: "p50, p90, p99, p99.9",
            meaning: """
                Percentiles. p99 is the value that 99 of 100 do not exceed: one in a hundred was slower. p50 is the \
                median. They come from one histogram of all values (HdrHistogram), never from averages of other percentiles.
                """, forms: ["p50", "p90", "p99", "p99.9", "percentile", "percentiles"]),
        Entry(
            id: "ratio", word: "ratio",
            meaning: """
                One value divided by another of the same round: beside other servers Belfry’s by theirs, so 0.5 × means that \
                Belfry has half of what the other has. Shown are the median of these ratios, the least and the greatest.
                """, forms: ["ratio", "ratios"]),
        Entry(
            id: "round", word: "round",
            meaning:
                "All that is compared has had its turn once: every server, or a half without something and a half with it.",
            forms: ["round", "rounds"]),
        Entry(
            id: "spread", word: "spread",
            meaning: "From the least to the greatest of several rounds. Where it is wide, trust no small difference.",
            forms: ["spread"]),
        Entry(
            id: "warmup", word: "warm-up",
            meaning: "What is sent before measuring begins: caches fill and memory is fetched once.",
            forms: ["warm-up", "warmup"]),
        Entry(
            id: "within", word: "within the spread",
            meaning: """
                The rounds do not agree: some are on the good side and some are not. The median may lie on either, but it \
                decides nothing; more rounds on a quieter machine would.
                """, forms: ["within the spread"]),
    ]
}
