extension Server {
    /// Returns once every loop and the chat's queue have taken a turn; never returns while one of them hangs.
    /// Commands waiting for the disk do not count as hanging.
    package func hasTakenATurn() async {
        for loop in loops {
            await withCheckedContinuation { turn in loop.post { turn.resume() } }
        }
        await withCheckedContinuation { turn in services.engine.pulse { turn.resume() } }
    }
}
