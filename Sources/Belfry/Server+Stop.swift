import Transport

extension Server {
    /// Not ready, no newcomers; what is under way is answered, everyone is told to come back elsewhere, and the loops
    /// end.
    ///
    /// Takes at most the drain time, and where a loop or the disk hangs up to that again for each step that waits for it:
    /// then the log says which, and the server ends without it.
    public func stop() async {
        logger.notice("draining")
        services.readiness.set(false)
        tokenKeys.stop()
        await ofEach(servers, "accepting") { $0.stopAccepting($1) }
        await untilTold()
        // They would wait for events until the drain time is over.
        tap.tails.close()
        await goodbye()
        await finishWebhooks()
        vitals.stop()
        diskReserve.stop()
        await ofEach(loops, "loop") { $0.shutdown($1) }
        // Everyone has left by now.
        services.engine.recordSightings()
        // Routes that were still at work may have called.
        await untilTold()
        calls.close()
        tap.close(.stopped)
        await orGoOn("journal") { storage.log.close($0) }
        await orGoOn("snapshots") { storage.stopSnapshots($0) }
        logger.notice("stopped")
    }

    private var drainMilliseconds: Int { settings.configuration.limits.drainMilliseconds }

    /// For a step that takes no time where nothing hangs: so much that a slow disk is not taken for one that hangs, and
    /// so little that the service manager has not lost patience when all of them hang.
    private var stepMilliseconds: Int { max(1_000, min(drainMilliseconds, 5_000)) }

    /// - Parameter milliseconds: That it may take besides.
    private func orGoOn(
        _ step: String, besides milliseconds: Int = 0, _ begin: (_ done: @escaping @Sendable () -> Void) -> Void
    ) async {
        let patience = stepMilliseconds + milliseconds
        guard await !isDone(within: patience, begin) else { return }
        logger.error("gone on without a step of the end", metadata: ["step": "\(step)", "ms": "\(patience)"])
    }

    private func ofEach<Part: Sendable>(
        _ parts: [Part], _ step: String, besides milliseconds: Int = 0,
        _ begin: @escaping @Sendable (Part, @escaping @Sendable () -> Void) -> Void
    ) async {
        await withTaskGroup { group in
            for part in parts {
                group.addTask { await self.orGoOn(step, besides: milliseconds) { begin(part, $0) } }
            }
        }
    }

    /// Until everything that was called for by now is durable and has been told.
    private func untilTold() async {
        await orGoOn("events") { done in
            services.engine.barrier { self.services.publisher.barrier(done) }
        }
    }

    private func goodbye() async {
        let drainMilliseconds = drainMilliseconds
        let deadline = Task {
            try await Task.sleep(for: .milliseconds(drainMilliseconds))
            for server in servers { server.closeAll() }
        }
        // The rest of the time is for those who are told last.
        await ofEach(servers, "connections", besides: drainMilliseconds) {
            $0.drain(over: drainMilliseconds * 3 / 5, $1)
        }
        deadline.cancel()
    }

    /// What is being delivered and was not refused yet may still arrive, for as long as clients have, too.
    private func finishWebhooks() async {
        var waited = 0
        while !webhooks.isIdle, waited < drainMilliseconds {
            try? await Task.sleep(for: .milliseconds(20))
            waited += 20
        }
        webhooks.stop()
    }
}
