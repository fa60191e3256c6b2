extension Server {
    /// Comes back when every loop and the chat's queue have taken a turn since: never, when one of them hangs. What waits
    /// for the disk alone is no reason not to.
    package func hasTakenATurn() async {
        for loop in loops {
            await withCheckedContinuation { turn in loop.post { turn.resume() } }
        }
        await withCheckedContinuation { turn in services.engine.pulse { turn.resume() } }
    }
}
