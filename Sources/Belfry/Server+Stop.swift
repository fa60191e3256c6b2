import Transport

extension Server {
    /// Shuts down, as `run` does at its end: reports not ready, stops accepting connections, answers commands in
    /// progress, asks every client to reconnect elsewhere, and ends the loops.
    ///
    /// Shutdown takes at most the drain time, plus up to as long again for each step that waits for a hung loop
    /// or disk. The server logs such a step and continues the shutdown without it.
    public func stop() async {
        logger.notice("draining")
        services.content.readiness.set(false)
        tokenKeys.stop()
        closeUnusedListeners()
        await cluster?.handOver()
        await runForEach(servers, "accepting") { $0.stopAccepting($1) }
        await waitForPublishing()
        // Otherwise, tails would wait for events until the drain time ends.
        tap.tails.close()
        await drainConnections()
        hook.stop()
        await finishWebhooks()
        vitals.stop()
        diskReserve.stop()
        await runForEach(loops, "loop") { $0.shutdown($1) }
        // All clients have disconnected by now.
        services.chat.engine.recordSightings()
        // Routes that were still running may have issued calls.
        await waitForPublishing()
        if let cluster { await runStep("cluster log") { cluster.settle($0) } }
        cluster?.stop()
        calls.close()
        tap.close(.stopped)
        await runStep("journal") { storage.log.close($0) }
        await runStep("search index") { search.close($0) }
        await runStep("snapshots") { storage.stopSnapshots($0) }
        logger.notice("stopped")
    }

    private var drainMilliseconds: Int { settings.configuration.limits.drainMilliseconds }

    /// The timeout of a step that completes immediately unless something hangs: long enough for a slow disk, and short
    /// enough for the service manager to wait even if every step hangs.
    private var stepMilliseconds: Int { max(1_000, min(drainMilliseconds, 5_000)) }

    /// Waits for a step, and continues without it after its timeout.
    ///
    /// - Parameter milliseconds: Additional time for the step.
    private func runStep(
        _ step: String, extra milliseconds: Int = 0, _ begin: (_ done: @escaping @Sendable () -> Void) -> Void
    ) async {
        let timeout = stepMilliseconds + milliseconds
        guard await !waitForCallback(within: timeout, begin) else { return }
        logger.error(
            "a shutdown step timed out: continuing without it", metadata: ["step": "\(step)", "ms": "\(timeout)"])
    }

    private func runForEach<Part: Sendable>(
        _ parts: [Part], _ step: String, extra milliseconds: Int = 0,
        _ begin: @escaping @Sendable (Part, @escaping @Sendable () -> Void) -> Void
    ) async {
        await withTaskGroup { group in
            for part in parts {
                group.addTask { await self.runStep(step, extra: milliseconds) { begin(part, $0) } }
            }
        }
    }

    /// Waits until every command issued so far is durable and published.
    private func waitForPublishing() async {
        await runStep("events") { done in
            services.chat.engine.barrier { self.services.chat.publisher.barrier(done) }
        }
    }

    private func drainConnections() async {
        let drainMilliseconds = drainMilliseconds
        let deadline = Task {
            try await Task.sleep(for: .milliseconds(drainMilliseconds))
            for server in servers { server.closeAll() }
        }
        // Leave the remaining time to the clients notified last.
        await runForEach(servers, "connections", extra: drainMilliseconds) {
            $0.drain(over: drainMilliseconds * 3 / 5, $1)
        }
        deadline.cancel()
    }

    /// Lets deliveries in progress finish, with the same time limit as for clients.
    private func finishWebhooks() async {
        var waited = 0
        while !webhooks.isIdle, waited < drainMilliseconds {
            try? await Task.sleep(for: .milliseconds(20))
            waited += 20
        }
        webhooks.stop()
    }
}
