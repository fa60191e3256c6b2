/// What the page's words mean.
enum Glossary {
    private static let entries: [(id: String, word: String, meaning: Markup)] = [
        (
            "alternation", "alternation",
            """
            The servers take turns, one round each, again and again in one run. What the machine does besides then slows all \
            of them alike, and a ratio taken within a round hardly moves when the machine does.
            """
        ),
        (
            "check", "check",
            """
            Something that had to be true for the figures to count: every message was heard by everyone exactly once and \
            in order, nobody lost the connection. A run that fails one is a failed run, however fast it was.
            """
        ),
        (
            "closed", "closed loop",
            """
            Each sender waits for the answer before it sends again. It shows how much a server can do, but not how long \
            people wait: a slow server is simply asked less often.
            """
        ),
        (
            "cpu", "CPU per delivery",
            """
            Processor time that the server used, its own and the kernel’s on its behalf, divided by the messages that reached \
            a listener. Unlike latency it says how many listeners a core bears.
            """
        ),
        (
            "delivery", "delivery",
            "One message that reached one listener. A message to a room of 1,000 makes 1,000 deliveries."
        ),
        (
            "durable", "durable",
            "On the disk before it is acknowledged: a crash or power failure cannot take it back."
        ),
        (
            "floor", "kernel floor",
            """
            A plain loop that calls <code>send</code> for the same bytes on as many sockets, and does nothing else. What the \
            kernel alone takes; no server that writes to each socket can be far below it.
            """
        ),
        (
            "goal", "goal",
            "What a figure is wanted to be. A goal that is missed is told, but it makes no run a failed one."
        ),
        (
            "intended", "intended time",
            """
            When a message should have left, by the schedule. Latency counts from there, so a message that had to wait \
            because the sender or the server was busy counts with its waiting.
            """
        ),
        (
            "median", "median",
            "The middle one of several values: as many are greater as are less. One unlucky round cannot move it far."
        ),
        (
            "noise", "noise",
            """
            The same piece of work, timed 20 times before the run: the slowest by the fastest. 1 is a machine that does \
            nothing else; 2 means that others took half of it at times.
            """
        ),
        (
            "open", "open loop",
            """
            Messages leave at fixed times, whatever became of those before, as people do not stop writing because a server \
            is slow. Only so does a stall show in the latencies in its full length.
            """
        ),
        (
            "percentile", "p50, p90, p99, p99.9",
            """
            Percentiles. p99 is the value that 99 of 100 do not exceed: one in a hundred was slower. p50 is the median. They \
            come from one histogram of all values (HdrHistogram), never from averages of other percentiles.
            """
        ),
        (
            "ratio", "ratio",
            """
            Belfry’s value divided by the other’s, taken in each round; shown are the median of the rounds, the least and \
            the greatest. 0.5 × means that Belfry has half of what the other has.
            """
        ),
        (
            "spread", "spread",
            "From the least to the greatest of several rounds. A wide one says that the figure is not to be trusted far."
        ),
        (
            "warmup", "warm-up",
            "The first seconds of a run, which are not measured: caches fill and memory is fetched once."
        ),
    ]

    static var section: Markup {
        """
        <section id="glossary">
        <h2>What the words mean</h2>
        <dl>
        \(entries.map { entry -> Markup in
            "<dt id=\"g-\(entry.id)\">\(entry.word)</dt><dd>\(entry.meaning)</dd>\n"
        })</dl>
        </section>

        """
    }

    /// The word, leading to what it means.
    static func link(_ id: String, _ word: String? = nil) -> Markup {
        let id = id == "p99" ? ("percentile", "p99") : (id, id)
        return "<a class=\"term\" href=\"#g-\(id.0)\">\(word ?? id.1)</a>"
    }
}
