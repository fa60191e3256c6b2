import ChatDomain
import ChatModel

extension WorstCase {
    static var ann: UserID { WorstChat.ann }

    /// Returns a device token; the device list is full, so that one more evicts the oldest.
    private static func device(_ number: Int) -> String { Worst.text("d", bytes: 4_090) + String(100_000 + number) }

    static var users: [WorstCase] {
        [
            .change("a new profile, announced in 2,000 channels") { chat, number in
                (UpsertUser(id: ann, nickname: "Ann \(number)", profileURL: Worst.url, metadata: Worst.metadata), nil)
            },
            .change("2 new nicknames, each announced in 2,000 channels") { chat, number in
                let users = (1...2).map { UpsertUser(id: Worst.person($0), nickname: "\(number) \($0)") }
                return (UpsertUsers(users: users), nil)
            },
            .change("100 new nicknames") { chat, number in
                let users = (0..<FieldLimits.usersPerUpsert).map {
                    UpsertUser(id: Worst.person(chat.scale.people + $0), nickname: "\(number) \($0)")
                }
                return (UpsertUsers(users: users), nil)
            },
            .change("a member of 2,000 channels") { chat, _ in
                chat.apply([.userActivated(ann)])
                return (DeactivateUser(userID: ann), nil)
            },
            .change("a member of 2,000 channels") { chat, _ in
                chat.apply([.userDeactivated(ann)])
                return (ActivateUser(userID: ann), nil)
            },
            .change("") { _, _ in (DisconnectUser(userID: ann), nil) },
            .change("") { chat, number in (RevokeTokens(userID: ann, before: Int64(number + 1)), nil) },
            .query("all fields at their limits") { _, _ in (GetUser(userID: ann), nil) },
            .query("250 ids, 100 profiles of maximum size") { chat, _ in
                let ids = (0..<min(chat.scale.people, FieldLimits.idsPerCommand)).map(Worst.person)
                return (ListUsers(userIDs: ids, limit: FieldLimits.pageSize), ann)
            },
            .query("100 of 50,000 users, all fields at their limits") { _, _ in
                (ListAllUsers(limit: FieldLimits.pageSize, nicknamePrefix: Worst.text(Worst.wide, bytes: 100)), nil)
            },
            .change("") { _, number in
                (UpdatePreferences(autoAcceptInvitations: number % 2 == 1, push: number % 2 == 0 ? .off : .all), ann)
            },
            .change("the 21st device") { chat, number in
                for other in 0..<FieldLimits.devicesPerUser {
                    let device = Device(provider: .fcm, token: device(number * 1_000 + other))
                    chat.apply([.deviceRegistered(Worst.person(2), device)])
                }
                return (RegisterDevice(provider: .apns, token: device(number)), Worst.person(2))
            },
            .change("the oldest device") { chat, number in
                let device = Device(provider: .web, token: device(number))
                chat.apply([.deviceRegistered(Worst.person(3), device)])
                return (UnregisterDevice(provider: .web, token: device.token), Worst.person(3))
            },
            .change("") { _, number in
                (SetChannelPush(channelID: Worst.hall(0), push: number % 2 == 0 ? .mentionOnly : .all), ann)
            },
        ]
    }
}
