import Gateway
import Testing

@Suite struct ConnectionIDTests {
    @Test func `an id is parsed only from its exact text`() {
        let id = ConnectionID(loop: 3, serial: .max)
        #expect(ConnectionID("\(id)") == id)
        for text in ["", "-", "3", "3-", "-3", "3-1-2", "a-1", "3--1", "3-18446744073709551616", "-1-2"] {
            #expect(ConnectionID(text) == nil, "\(text)")
        }
    }
}
