import EventLoops
import Testing
import Transport

@Suite struct LoopServerTests {
    @Test func `calling a loop's server outside its loop stops the process`() async {
        await #expect(processExitsWith: .failure) {
            let server = LoopServer(loop: try EventLoop(label: "test", index: 0))
            server.retire()
        }
    }
}
