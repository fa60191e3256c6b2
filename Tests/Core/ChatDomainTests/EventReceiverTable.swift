import ChatDomain
import ChatModel

private let muted = EventScene.muted
private let newcomer = EventScene.newcomer
private let members = [ann, bob, muted]
private let takeOver = UpsertChannels(channels: [ChannelUpsert(id: general, takeOver: true)])

/// Every event type, with one row per cause.
let eventRows: [EventRow] = messageRows + readRows + invitationRows + channelRows + memberRows + momentRows

private let messageRows: [EventRow] = [
    EventRow(.messageNew, members) { try $0.act(SendMessage(channelID: general, text: "hi"), as: bob) },
    EventRow(.messageNew, members) { try $0.act(asServer: SendMessage(channelID: general, text: "hi")) },
    EventRow(.messageUpdated, members) {
        try $0.act(UpdateMessage(channelID: general, messageID: $0.message, text: "ho"), as: bob)
    },
    EventRow(.messageDeleted, members) {
        try $0.act(DeleteMessage(channelID: general, messageID: $0.message), as: bob)
    },
    EventRow(.threadReply, members) {
        try $0.act(SendMessage(channelID: general, text: "hi", parentMessageID: $0.parent), as: bob)
    },
    EventRow(.threadUpdated, members) {
        try $0.act(UpdateThread(channelID: general, parentMessageID: $0.parent, title: "Tea"), as: bob)
    },
    EventRow(.reactionUpdated, members) {
        try $0.act(AddReaction(channelID: general, messageID: $0.message, key: "sob"))
    },
    EventRow(.reactionUpdated, members) {
        try $0.act(AddReaction(channelID: general, messageID: $0.message, key: "sob"))
        $0.chat.forgetWhatWasHeard()
        try $0.act(RemoveReaction(channelID: general, messageID: $0.message, key: "sob"))
    },
]

private let readRows: [EventRow] = [
    EventRow(.readChanged, inbox: [muted], moment: members) {
        try $0.act(MarkRead(channelID: general), as: muted)
    },
    EventRow(.readChanged, inbox: [muted], moment: members) { try $0.act(MarkAllRead(), as: muted) },
    EventRow(.readChanged, inbox: [muted]) {
        try $0.act(MarkThreadRead(channelID: general, parentMessageID: $0.parent), as: muted)
    },
    EventRow(.unreadChanged, inbox: [muted]) {
        try $0.act(MarkRead(channelID: general), as: muted)
        try $0.act(MarkUnread(channelID: general, messageID: $0.message), as: muted)
    },
]

private let invitationRows: [EventRow] = [
    EventRow(.invitationReceived, members, inbox: [newcomer]) {
        try $0.chat.asksBeforeJoining(newcomer)
        try $0.act(InviteToChannel(channelID: general, userIDs: [newcomer]))
    },
    EventRow(.invitationAccepted, members, inbox: [cat]) {
        try $0.act(AcceptInvitation(channelID: general), as: cat)
    },
    EventRow(.invitationDeclined, members, inbox: [cat]) {
        try $0.act(DeclineInvitation(channelID: general), as: cat)
    },
    EventRow(.invitationCancelled, members, inbox: [cat]) { try $0.act(BanMember(channelID: general, userID: cat)) },
    EventRow(.invitationCancelled, members, inbox: [cat]) { try $0.act(DeleteChannel(channelID: general)) },
    EventRow(.invitationCancelled, members, inbox: [newcomer]) {
        $0.chat.settings.channelsPerUser = 1
        try $0.act(CreateChannel(id: "second"), as: newcomer)
        try $0.act(InviteToChannel(channelID: general, userIDs: [newcomer]))
    },
]

private let channelRows: [EventRow] = [
    EventRow(.channelCreated, [ann]) { try $0.act(CreateChannel(id: "second", userIDs: [bob])) },
    EventRow(.channelUpdated, members) { try $0.act(UpdateChannel(channelID: general, name: "Tea")) },
    EventRow(.channelUpdated, members) {
        try $0.act(SetChannelMetadata(channelID: general, metadata: ["a": "1"]))
    },
    EventRow(.channelUpdated, members) { try $0.act(asServer: takeOver) },
    EventRow(.channelDeleted, members) { try $0.act(DeleteChannel(channelID: general)) },
    EventRow(.channelFrozen, members) { try $0.act(FreezeChannel(channelID: general)) },
    EventRow(.channelUnfrozen, members) {
        try $0.act(FreezeChannel(channelID: general))
        try $0.act(UnfreezeChannel(channelID: general))
    },
    EventRow(.channelHidden, inbox: [muted]) { try $0.act(HideChannel(channelID: general), as: muted) },
    EventRow(.channelUnhidden, inbox: [muted]) {
        try $0.act(HideChannel(channelID: general), as: muted)
        try $0.act(UnhideChannel(channelID: general), as: muted)
    },
    EventRow(.channelUnhidden, inbox: [muted]) {
        try $0.act(HideChannel(channelID: general), as: muted)
        try $0.act(SendMessage(channelID: general, text: "hi"), as: bob)
    },
    EventRow(.channelHistoryReset, inbox: [muted]) { try $0.act(ResetHistory(channelID: general), as: muted) },
]

private let memberRows: [EventRow] = [
    EventRow(.memberJoined, members + [newcomer], inbox: [newcomer]) {
        try $0.act(InviteToChannel(channelID: general, userIDs: [newcomer]))
    },
    EventRow(.memberJoined, members + [cat], inbox: [cat]) {
        try $0.act(AcceptInvitation(channelID: general), as: cat)
    },
    EventRow(.memberLeft, [ann, muted], inbox: [bob]) { try $0.act(LeaveChannel(channelID: general), as: bob) },
    EventRow(.memberBanned, [ann, muted], inbox: [bob]) { try $0.act(BanMember(channelID: general, userID: bob)) },
    EventRow(.memberUnbanned, members, inbox: [eve]) { try $0.act(UnbanMember(channelID: general, userID: eve)) },
    // The banned outsider learns nothing of a channel that may be private.
    EventRow(.memberBanned, members) {
        try $0.act(BanMember(channelID: general, userID: EventScene.stranger))
    },
    EventRow(.memberUnbanned, members) {
        try $0.act(BanMember(channelID: general, userID: EventScene.stranger))
        try $0.act(UnbanMember(channelID: general, userID: EventScene.stranger))
    },
    EventRow(.memberLeft, [ann, muted], inbox: [bob]) {
        try $0.act(RemoveMember(channelID: general, userID: bob))
    },
    // For webhooks only.
    EventRow(.reportCreated) { try $0.act(CreateReport(category: .spam, userID: ann), as: bob) },
    EventRow(.reportResolved) { scene in
        let report = try scene.chat.run(CreateReport(category: .spam, userID: ann), as: .user(bob)).report
        try scene.act(asServer: DismissReport(reportID: report.id))
    },
    EventRow(.blockChanged, inbox: [bob]) { try $0.act(BlockUser(userID: ann), as: bob) },
    EventRow(.blockChanged, inbox: [bob, bob]) {
        try $0.act(BlockUser(userID: ann), as: bob)
        try $0.act(UnblockUser(userID: ann), as: bob)
    },
    EventRow(.userBanned, inbox: [bob]) { try $0.act(asServer: BanUser(userID: bob)) },
    EventRow(.userUnbanned, inbox: [bob]) {
        try $0.act(asServer: BanUser(userID: bob))
        // As if a connection had outlived the ban.
        $0.chat.meet(bob)
        try $0.act(asServer: UnbanUser(userID: bob))
    },
    EventRow(.userMuted, inbox: [bob]) { try $0.act(asServer: MuteUser(userID: bob)) },
    EventRow(.userUnmuted, inbox: [bob]) {
        try $0.act(asServer: MuteUser(userID: bob))
        try $0.act(asServer: UnmuteUser(userID: bob))
    },
    EventRow(.memberMuted, members, inbox: [bob]) { try $0.act(MuteMember(channelID: general, userID: bob)) },
    EventRow(.memberUnmuted, members, inbox: [muted]) {
        try $0.act(UnmuteMember(channelID: general, userID: muted))
    },
    EventRow(.operatorAdded, members, inbox: [bob]) { try $0.act(AddOperators(channelID: general, userIDs: [bob])) },
    // Invited users learn which role they will have.
    EventRow(.operatorAdded, members, inbox: [cat]) { try $0.act(AddOperators(channelID: general, userIDs: [cat])) },
    EventRow(.operatorRemoved, members, inbox: [ann]) {
        try $0.act(RemoveOperators(channelID: general, userIDs: [ann]))
    },
    EventRow(.operatorRemoved, members, inbox: [ann]) { try $0.act(asServer: takeOver) },
]

private let momentRows: [EventRow] = [
    EventRow(.userUpdated, moment: members) { try $0.act(asServer: UpsertUser(id: bob, nickname: "Bobby")) },
    EventRow(.userUpdated, moment: members) {
        try $0.act(asServer: ActivateUser(userID: EventScene.deactivated))
    },
    // Invited users, former members and strangers share no channel with anyone.
    EventRow(.userUpdated) { scene in
        for user in [cat, dan, eve, EventScene.stranger] {
            try scene.act(asServer: UpsertUser(id: user, nickname: "Someone"))
        }
    },
    EventRow(.presenceChanged, moment: members) { scene in
        for user in EventScene.everyone where user != bob { scene.chat.connect(user) }
        scene.chat.forgetWhatWasHeard()
        scene.chat.connect(bob)
    },
    EventRow(.typingStarted, moment: members) { try $0.signal(StartTyping(channelID: general), as: bob) },
    EventRow(.typingStopped, moment: members) {
        try $0.signal(StartTyping(channelID: general), as: bob)
        try $0.signal(StopTyping(channelID: general), as: bob)
    },
    EventRow(.typingStopped, moment: members) {
        try $0.signal(StartTyping(channelID: general), as: bob)
        $0.chat.now += 60_000
        $0.chat.expire()
    },
]
