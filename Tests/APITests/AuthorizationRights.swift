import Testing

/// What someone is to the channel in which they try everything.
enum Standing: Int, CaseIterable, Sendable {
    case stranger, invited, member, former, muted, mutedOperator, banned, `operator`, deactivated, server
}

struct ChannelKind: Sendable, CustomTestStringConvertible {
    let isPublic: Bool
    let isFrozen: Bool
    static let all = [false, true].flatMap { isPublic in
        [false, true].map { ChannelKind(isPublic: isPublic, isFrozen: $0) }
    }
    var testDescription: String { (isPublic ? "public" : "private") + (isFrozen ? ", frozen" : "") }
}

/// Whether a command needs a voice: what becomes of it for a muted member, and for an ordinary one of a frozen channel
/// (`MS9`, `ME4`, `CH10`). Each row of the table says so.
enum Voice: Sendable {
    /// Others would see it: refused with 1004 and 1005.
    case needed
    /// It takes back something of the caller's own, which others may see: goes through. Who is banned is told so.
    case takingBack
    /// Others may see it and the rules let it through all the same: leaving, answering an invitation, reading on.
    case allowed
    /// Nobody else in the channel hears of it.
    case unheard
    /// No user may give the command at all, with a voice or without.
    case notTheirs
}

/// Who may do something, as the rules have it. Each command needs one of these.
enum Right: Sendable {
    /// The app's backend alone.
    case server
    /// Who is nobody yet, and the app's backend for them.
    case newcomer
    /// Everyone who is not shut out (`US2`).
    case anyone
    /// The same, and it takes a person.
    case person
    /// Who may know that the channel exists: of a private one those who are in it or invited (`CH2`, `CH8`).
    case seeing, personSeeing
    case joining
    /// Whom an invitation waits for (`CH8`).
    case answering
    case member, personAmongMembers
    case `operator`
    /// Who wrote it, operators, and the app: here it is bob's (`MS7`, `MS8`).
    case author
    /// Admin messages are the app's (`MS1`).
    case voiceOfTheApp
    /// What stands in the channel is not there for anyone else, and nobody is told why not.
    case reader, personReading
    /// Nobody's but its owner's: here it is bob's.
    case owner
    /// A command of the server, with the name of someone to do it for.
    case nobody

    func code(for standing: Standing, in kind: ChannelKind, _ voice: Voice) -> Int {
        let code = codes(in: kind)[standing.rawValue]
        if standing == .banned, voice == .needed || voice == .takingBack, code == 1001 { return 1003 }
        guard voice == .needed || standing == .mutedOperator && self == .author else { return code }
        // What is not theirs to do in the first place is told first.
        guard code != 1006, code != 1009 else { return code }
        return switch standing {
        case .muted, .mutedOperator: 1004
        case .member where kind.isFrozen: 1005
        default: code
        }
    }

    /// 0: it is done; else the code of the refusal. In the order of `Standing`, of people who all have a voice.
    private func codes(in kind: ChannelKind) -> [Int] {
        // A private channel is not there for who has nothing to do with it; a public one is no secret.
        let out = kind.isPublic ? 1001 : 1000
        let sees = kind.isPublic ? 0 : 1000
        let ban = kind.isPublic ? 1003 : 1000
        let none = kind.isPublic ? 1012 : 1000
        return switch self {
        //               stranger invited member former muted mutedOp. banned operator deactivated server
        case .server: [1009, 1009, 1009, 1009, 1009, 1009, 1009, 1009, 1009, 0]
        case .newcomer: [103, 103, 103, 103, 103, 103, 103, 103, 103, 0]
        case .anyone: [0, 0, 0, 0, 0, 0, 0, 0, 1008, 0]
        case .person: [0, 0, 0, 0, 0, 0, 0, 0, 1008, 107]
        case .seeing: [sees, 0, 0, sees, 0, 0, sees, 0, 1008, 0]
        case .personSeeing: [sees, 0, 0, sees, 0, 0, sees, 0, 1008, 107]
        case .joining: [sees, 0, 1010, sees, 1010, 1010, ban, 1010, 1008, 107]
        case .answering: [none, 0, 1010, none, 1010, 1010, none, 1010, 1008, 107]
        case .member: [out, 1002, 0, out, 0, 0, out, 0, 1008, 0]
        case .personAmongMembers: [out, 1002, 0, out, 0, 0, out, 0, 1008, 107]
        case .operator: [out, 1002, 1006, out, 1006, 0, out, 0, 1008, 0]
        case .author: [out, 1002, 1007, out, 1007, 0, out, 0, 1008, 0]
        case .voiceOfTheApp: [out, 1002, 1009, out, 1009, 1009, out, 1009, 1008, 0]
        case .reader: [1000, 1000, 0, 1000, 0, 0, 1000, 0, 1008, 0]
        case .personReading: [1000, 1000, 0, 1000, 0, 0, 1000, 0, 1008, 107]
        case .owner: [1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1008, 0]
        case .nobody: Array(repeating: 107, count: 10)
        }
    }
}
