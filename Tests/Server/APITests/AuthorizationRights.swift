import ChatModel
import Testing

/// The caller's relation to the channel under test.
enum Standing: Int, CaseIterable, Sendable {
    case stranger, invited, member, former, muted, mutedOperator, banned, `operator`, deactivated, server
    /// Muted in, or banned from, the whole app (`MO2`).
    case appMuted, appBanned
    /// In a distinct channel of two, blocked by the other one (`MO1`).
    case blocked, blockedOperator
    /// Made an admin of all channels, and a member or an operator whose role a table has left nothing (`RO1`).
    case appAdmin, stripped, strippedOperator

    var isInPair: Bool { self == .blocked || self == .blockedOperator }

    /// The standing with the same rights, and other codes.
    fileprivate var counterpart: (standing: Standing, codes: [Int: Int])? {
        switch self {
        case .appMuted: (.muted, [:])
        case .appBanned: (.deactivated, [1008: 1055])
        case .blocked: (.muted, [1004: 1052])
        case .blockedOperator: (.mutedOperator, [1004: 1052])
        case .appAdmin, .strippedOperator: (.operator, [:])
        case .stripped: (.member, [:])
        default: nil
        }
    }
}

struct ChannelKind: Sendable, CustomTestStringConvertible {
    let isPublic: Bool
    let isFrozen: Bool
    static let all = [false, true].flatMap { isPublic in
        [false, true].map { ChannelKind(isPublic: isPublic, isFrozen: $0) }
    }
    var testDescription: String { (isPublic ? "public" : "private") + (isFrozen ? ", frozen" : "") }
}

/// Whether a command needs a voice, which a muted member and an ordinary member of a frozen channel do not have (`MS9`,
/// `ME4`, `CH10`). Every row of the table has a value.
enum Voice: Sendable {
    /// The action is visible to others and refused with 1004 or 1005.
    case needed
    /// The action retracts the caller's own content and is allowed. A banned caller is refused as banned.
    case takingBack
    /// The action may be visible to others, but the rules allow it: leaving, answering an invitation, marking as read.
    case allowed
    /// Nobody else in the channel is notified.
    case unheard
    /// The same, but the command begins a channel, which users who are muted in the whole app may not.
    case beginning
    /// No user may call the command, with or without a voice.
    case notTheirs
}

/// The rights defined by the rules, one of which each command requires.
enum Right: Sendable {
    /// Only the app's backend.
    case server
    /// Only the app's backend, as long as a setting that is off by default allows users nothing.
    case serverUnlessSet
    /// The same, with 1018 for users.
    case searchingUsers
    /// A caller who is not a user yet, or the app's backend on their behalf.
    case newcomer
    /// Any caller except deactivated users (`US2`).
    case anyone
    /// Any user except deactivated ones, but not the app's backend.
    case person
    /// Callers who may know that the channel exists: for a private one, its members and invited users (`CH2`, `CH8`).
    case seeing, personSeeing
    case joining
    /// A user with an open invitation (`CH8`).
    case answering
    case member, personAmongMembers
    case `operator`
    /// The author (here bob), operators and the app (`MS7`, `MS8`).
    case author
    /// Admin messages belong to the app (`MS1`).
    case voiceOfTheApp
    /// Callers who can read the channel. For anyone else its content does not exist, without a reason.
    case reader, personReading
    /// Only the owner, here bob.
    case owner
    /// A server command that names a user to act for, which is refused to everyone.
    case nobody

    /// - Parameter permission: What a role needs for the command, if anything.
    func code(for standing: Standing, in kind: ChannelKind, _ voice: Voice, _ permission: Permission?) -> Int {
        let code = code(for: standing, in: kind, voice)
        guard permission != nil, standing == .stripped || standing == .strippedOperator else { return code }
        // Members could change threads in which they take part.
        return code == 0 || permission == .editThread && code == 1007 ? 1054 : code
    }

    private func code(for standing: Standing, in kind: ChannelKind, _ voice: Voice) -> Int {
        if let (counterpart, codes) = standing.counterpart {
            if standing == .appMuted, voice == .beginning { return 1004 }
            // Freezing is checked before a block, and not for operators.
            if standing == .blocked, kind.isFrozen {
                let code = code(for: counterpart, in: kind, voice)
                return code == 1004 ? 1005 : code
            }
            let code = code(for: counterpart, in: kind, voice)
            return codes[code] ?? code
        }
        let code = codes(in: kind)[standing.rawValue]
        if standing == .banned, voice == .needed || voice == .takingBack, code == 1001 { return 1003 }
        guard voice == .needed || standing == .mutedOperator && self == .author else { return code }
        // Missing rights are reported before any other error.
        guard code != 1006, code != 1009 else { return code }
        return switch standing {
        case .muted, .mutedOperator: 1004
        case .member where kind.isFrozen: 1005
        default: code
        }
    }

    /// Returns the result for each `Standing`, in order, assuming a voice: 0 for success, otherwise the error code.
    private func codes(in kind: ChannelKind) -> [Int] {
        // For strangers a private channel does not exist, but a public one does.
        let out = kind.isPublic ? 1001 : 1000
        let sees = kind.isPublic ? 0 : 1000
        let ban = kind.isPublic ? 1003 : 1000
        let none = kind.isPublic ? 1012 : 1000
        return switch self {
        //               stranger invited member former muted mutedOp. banned operator deactivated server
        case .server: [1009, 1009, 1009, 1009, 1009, 1009, 1009, 1009, 1009, 0]
        case .serverUnlessSet: [1009, 1009, 1009, 1009, 1009, 1009, 1009, 1009, 1008, 0]
        case .searchingUsers: [1018, 1018, 1018, 1018, 1018, 1018, 1018, 1018, 1008, 0]
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
