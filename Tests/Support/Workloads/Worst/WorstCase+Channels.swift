import ChatDomain
import ChatModel

extension WorstCase {
    /// Returns users who are in no channel, as many as one command may name.
    static func outsiders(_ chat: WorstChat, _ range: Range<Int>) -> [UserID] {
        range.prefix(chat.scale.people).map { Worst.person(chat.scale.people + $0 % chat.scale.people) }
    }

    static var channels: [WorstCase] {
        [
            .change("super channel, 125 users and 125 operators named, all fields at their limits") { chat, number in
                let ids = FieldLimits.idsPerCommand / 2
                return (
                    CreateChannel(
                        id: Worst.channel("created", number), name: Worst.name, userIDs: outsiders(chat, 0..<ids),
                        operatorUserIDs: outsiders(chat, ids..<2 * ids), isPublic: true, isSuper: true,
                        coverURL: Worst.url, data: Worst.data, customType: Worst.customType, metadata: Worst.metadata),
                    nil
                )
            },
            .change("distinct channel with as many users as an ordinary channel can have") { chat, number in
                let people = outsiders(chat, number..<number + WorstChat.peopleOfRoom)
                return (CreateChannel(userIDs: people, isDistinct: true), nil)
            },
            .change("80 new channels, 160 users") { chat, number in
                let channels = (0..<FieldLimits.channelsPerUpsert).map { index in
                    ChannelUpsert(
                        id: Worst.channel("upsert\(number)-", index), name: Worst.name,
                        userIDs: outsiders(chat, index * 2..<(index + 1) * 2), isSuper: true)
                }
                return (UpsertChannels(channels: channels), nil)
            },
            .change("80 existing channels, 160 new operators") { chat, number in
                let channels = (0..<FieldLimits.channelsPerUpsert).map { index in
                    ChannelUpsert(
                        id: Worst.channel("upsert\(number)-", index), name: "\(number)",
                        operatorUserIDs: outsiders(chat, 1_000 + index * 2..<1_000 + (index + 1) * 2))
                }
                return (UpsertChannels(channels: channels), nil)
            },
            .change("80 existing channels, all fields at their limits") { chat, _ in
                let channels = (0..<FieldLimits.channelsPerUpsert).prefix(chat.scale.publicChannels).map {
                    ChannelUpsert(id: Worst.channel("public", $0))
                }
                return (UpsertChannels(channels: channels), nil)
            },
            .query("100,000 messages, all fields at their limits") { _, _ in
                (GetChannel(channelID: Worst.hall(0)), ann)
            },
            .change("a channel of 20,000 members") { chat, _ in
                chat.apply([.memberLeft(Worst.hall(0), Worst.person(5))])
                return (JoinChannel(channelID: Worst.hall(0)), Worst.person(5))
            },
            .change("a channel of 20,000 members") { _, number in
                (LeaveChannel(channelID: Worst.hall(0)), Worst.person(20 + number))
            },
            .change("a channel of 20,000 members") { chat, number in
                let user = Worst.person(chat.scale.people + number)
                chat.apply([.invited(Worst.hall(0), user, by: ann, role: .member)])
                return (AcceptInvitation(channelID: Worst.hall(0)), user)
            },
            .change("a channel of 20,000 members") { chat, number in
                let user = Worst.person(chat.scale.people + 20 + number)
                chat.apply([.invited(Worst.hall(0), user, by: ann, role: .member)])
                return (DeclineInvitation(channelID: Worst.hall(0)), user)
            },
            .change("a channel with 10,000 guests becomes private", runs: 2) { chat, number in
                let id = Worst.channel("guests", number)
                chat.create(id, isSuper: true)
                let guests = (0..<chat.scale.guests - 10).map { UserID.guest(UInt64($0), 7) }
                if number == 0 {
                    chat.apply(
                        guests.map {
                            .userCreated(
                                Event.UserCreated(id: $0, nickname: "", metadata: [:], inboxEpoch: "epoch"))
                        })
                }
                chat.apply(guests.map { chat.join($0, id) })
                return (UpdateChannel(channelID: id, isPublic: false), nil)
            },
            WorstCase(command: "follow-up", note: "100 of 10,000 guests leave a channel made private", runs: nil) {
                chat, _ in
                chat.measure { state, _ in state.followUp() }
            },
            .change("all fields at their limits") { _, number in
                (
                    UpdateChannel(
                        channelID: Worst.hall(0), name: Worst.text(Worst.wide, bytes: 300) + "\(number)",
                        coverURL: Worst.url.dropLast() + "\(number)", data: Worst.text("\u{2}", bytes: 8_000 + number)),
                    ann
                )
            },
            .change("50 keys") { _, number in
                (
                    SetChannelMetadata(
                        channelID: Worst.hall(0),
                        metadata: Worst.metadata.mapValues { _ in "\(number)" + Worst.description.dropLast() }),
                    ann
                )
            },
            .change("50 keys") { chat, number in
                let keys = Array(Worst.metadata.keys)
                chat.apply([.metadataSet(Worst.hall(0), Worst.metadata)])
                return (DeleteChannelMetadata(channelID: Worst.hall(0), keys: keys), ann)
            },
            .change("all previous messages hidden") { chat, number in
                (HideChannel(channelID: Worst.hall(0), hidePreviousMessages: true), Worst.person(60 + number))
            },
            .change("") { chat, number in
                chat.apply([
                    .channelHidden(
                        Event.ChannelHidden(
                            channel: Worst.hall(0), user: ann, state: .hiddenPreventAutoUnhide, visibleFrom: nil))
                ])
                return (UnhideChannel(channelID: Worst.hall(0)), ann)
            },
            .change("100,000 messages") { chat, number in
                (ResetHistory(channelID: Worst.hall(0)), Worst.person(80 + number))
            },
            .change("") { _, number in
                (SetRetention(channelID: Worst.hall(0), maxMessages: 1_000_000 + number), nil)
            },
            .change("") { chat, _ in
                chat.apply([.channelUnfrozen(Worst.hall(0))])
                return (FreezeChannel(channelID: Worst.hall(0)), ann)
            },
            .change("") { chat, _ in
                chat.apply([.channelFrozen(Worst.hall(0))])
                return (UnfreezeChannel(channelID: Worst.hall(0)), ann)
            },
        ]
    }

    /// List queries with the worst filter, which examines every channel to its end.
    static var lists: [WorstCase] {
        [
            .query("2,000 channels, by name, names that nearly match") { _, _ in
                var list = ListChannels(limit: FieldLimits.pageSize, order: .name)
                list.includeEmpty = true
                list.nameContains = Worst.text(Worst.wide, bytes: 200) + "b"
                return (list, ann)
            },
            .query("100 of 2,000 channels, by name, all fields at their limits") { _, _ in
                var list = ListChannels(limit: FieldLimits.pageSize, order: .name)
                list.includeEmpty = true
                return (list, ann)
            },
            .query("2,000 channels, unread only, 100 members named, by latest message") { chat, _ in
                var list = ListChannels(limit: FieldLimits.pageSize)
                list.unreadOnly = true
                list.userIDsInclude = (0..<min(100, chat.scale.people)).map(Worst.person)
                return (list, ann)
            },
            .query("2,000 channels, by metadata values of 1,024 bytes") { _, _ in
                var list = ListChannels(limit: FieldLimits.pageSize, order: .metadataValue)
                list.metadataKey = Worst.metadata.keys.min()
                return (list, ann)
            },
            .query("2,000 channels, 250 exact members") { chat, _ in
                var list = ListChannels(limit: FieldLimits.pageSize)
                list.userIDsExact = (0..<min(FieldLimits.idsPerCommand, chat.scale.people)).map(Worst.person)
                return (list, ann)
            },
            .query("12,000 channels, names that nearly match") { _, _ in
                let name = Worst.text("a", bytes: 100) + "b"
                return (
                    ListPublicChannels(
                        limit: FieldLimits.pageSize, order: .name, includeEmpty: true, nameContains: name), ann
                )
            },
            .query("100 of 12,000 channels, by name, all fields at their limits") { _, _ in
                (ListPublicChannels(limit: FieldLimits.pageSize, order: .name, includeEmpty: true), ann)
            },
        ]
    }
}
