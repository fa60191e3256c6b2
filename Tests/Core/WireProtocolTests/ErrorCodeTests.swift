import ChatModel
import Testing
import WireProtocol

@Suite struct ErrorCodeTests {
    /// The rows of the table in the protocol article; 105 and 108 are from the Centrifuge protocol.
    private static let table: [(Int, String)] = [
        (100, "internal server error"), (101, "unauthorized"), (103, "permission denied"), (104, "method not found"),
        (105, "already subscribed"), (107, "bad request"), (108, "not available"), (109, "token expired"),
        (111, "too many requests"), (112, "unrecoverable position"),
        (1000, "not found"), (1001, "not a member"), (1002, "invited, not yet a member"), (1003, "banned"),
        (1004, "muted"),
        (1005, "channel frozen"), (1006, "not an operator"), (1007, "not the author"), (1008, "user deactivated"),
        (1009, "server only"), (1010, "already a member"), (1011, "invitation required"), (1012, "no invitation"),
        (1013, "channel limit"), (1014, "member limit"), (1015, "duplicate channel id"),
        (1016, "distinct super conflict"),
        (1017, "creation disabled"), (1018, "feature disabled"), (1019, "key scope"), (1020, "thread depth"),
        (1021, "parent has replies"),
        (1022, "parent unavailable"), (1023, "message deleted"), (1024, "wrong message kind"),
        (1025, "ephemeral channel"), (1026, "not for guests"),
        (1030, "too long"), (1031, "too many"), (1032, "invalid value"), (1033, "client id conflict"),
        (1034, "unknown emoji"), (1035, "file rejected"),
        (1036, "idempotency key reused"), (1037, "request under way"),
        (1038, "carried out, answer not kept"), (1040, "storage unavailable"),
        (1041, "outcome unknown, retry with the same client id"), (1050, "text refused"), (1051, "slow mode"),
        (1052, "blocked by this user"), (1054, "not permitted"), (1055, "banned from the app"),
    ]

    @Test func `the table matches the protocol, without extra or missing rows`() {
        #expect(ErrorCode.allCases.map(\.rawValue) == Self.table.map(\.0))
        #expect(ErrorCode.allCases.map(\.row.message) == Self.table.map(\.1))
    }

    @Test func `errors are temporary exactly when the client should retry`() {
        #expect(
            ErrorCode.allCases.filter(\.isTemporary)
                == [.internal, .tooManyRequests, .requestUnderWay, .storageUnavailable, .outcomeUnknown, .slowMode])
    }

    @Test(arguments: ErrorCode.allCases)
    func `each HTTP status matches the reaction expected of the client`(code: ErrorCode) {
        switch code.row.reaction {
        case .retry: #expect([409, 429, 500, 503].contains(code.row.status))
        case .refreshToken: #expect(code.row.status == 401)
        case .fixRequest, .giveUp, .reconnect: #expect((400...499).contains(code.row.status) && code.row.status != 401)
        }
    }

    @Test func `a rejection names the error and the field`() {
        #expect(
            Rejection(.tooLong, "text: at most 5,000 characters").message == "too long: text: at most 5,000 characters")
        #expect(Rejection(.muted).message == "muted")
        #expect("\(Rejection(.muted))" == "1004 muted")
    }
}

@Suite struct DisconnectCodeTests {
    @Test func `the numbers match the protocol`() {
        #expect(
            DisconnectCode.allCases.map { "\($0.rawValue) \($0.row.reason)" } == [
                "3000 connection closed", "3001 shutdown", "3004 internal server error", "3005 connection expired",
                "3008 slow", "3012 no pong", "3013 too many requests", "3500 invalid token", "3501 bad request",
                "3502 stale",
                "3503 force no reconnect", "3504 connection limit", "3509 too many errors",
            ])
        #expect(UnsubscribeCode.allCases.map(\.rawValue) == [0, 2000])
    }

    @Test(
        arguments: [
            (1000, true), (1006, true), (2999, true), (3000, true), (3499, true), (3500, false), (3999, false),
            (4000, true),
            (4499, true), (4500, false), (4999, false), (5000, true),
        ] as [(UInt16, Bool)])
    func `a code's range determines whether the client reconnects`(code: UInt16, reconnects: Bool) {
        #expect(DisconnectCode.allowsReconnect(code) == reconnects)
    }

    @Test(arguments: DisconnectCode.allCases)
    func `the table's reconnect advice matches the codes' ranges`(code: DisconnectCode) {
        let comesBack = code.row.reaction == .reconnect || code.row.reaction == .refreshToken
        #expect(DisconnectCode.allowsReconnect(code.rawValue) == comesBack)
        // RFC 6455 §5.5: a control frame holds 125 bytes, including 2 for the code.
        #expect(code.row.reason.utf8.count <= 123)
    }
}
