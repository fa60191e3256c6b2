import ChatDomain
import EventLoops
import Transport

/// A setting in the settings table: its name in the configuration file, its range, and where its value is stored. In
/// the environment, the name is capitalized, with `BELFRY_` in front and `_` for the dot.
package struct Setting: Sendable {
    enum Target: Sendable {
        case flag(WritableKeyPath<Belfry.Configuration, Bool> & Sendable)
        case number(ClosedRange<Int>, WritableKeyPath<Belfry.Configuration, Int> & Sendable)
        case milliseconds(ClosedRange<Int>, WritableKeyPath<Belfry.Configuration, Int64> & Sendable)
        /// A port to listen on; 0 picks a free one.
        case port(WritableKeyPath<Belfry.Configuration, UInt16?> & Sendable)
        case path(WritableKeyPath<Belfry.Configuration, String?> & Sendable)
        /// Text of 1 to 2,048 bytes without control characters: a description of it, and where it is stored.
        case text(String, WritableKeyPath<Belfry.Configuration, String?> & Sendable)
        /// A list of strings, comma-separated in the environment, with a description of valid ones.
        case texts(String, Place, @Sendable ([String], inout Belfry.Configuration) -> Bool)
        /// The allowed names, and a closure that stores the choice.
        case choice([String], Place, @Sendable (String, inout Belfry.Configuration) -> Bool)

        static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable & Equatable>(
            _ path: WritableKeyPath<Belfry.Configuration, Choice> & Sendable
        ) -> Target {
            .choice(Choice.allCases.map(\.rawValue), Place(path)) { name, configuration in
                guard let choice = Choice(rawValue: name) else { return false }
                configuration[keyPath: path] = choice
                return true
            }
        }

        /// Returns the same for an optional choice.
        static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable & Equatable>(
            _ path: WritableKeyPath<Belfry.Configuration, Choice?> & Sendable
        ) -> Target {
            .choice(Choice.allCases.map(\.rawValue), Place(path)) { name, configuration in
                configuration[keyPath: path] = Choice(rawValue: name)
                return configuration[keyPath: path] != nil
            }
        }
    }

    /// The name: `section.name`.
    package let key: String
    let target: Target
    /// Whether a running server applies a new value on SIGHUP.
    package var isReloaded = false

    package var environmentName: String {
        "BELFRY_" + key.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    package static let table: [Setting] = [
        Setting(key: "chat.history_visible_to_newcomers", target: .flag(\.chat.historyVisibleToNewcomers)),
        Setting(key: "chat.users_create_channels", target: .flag(\.chat.usersCreateChannels)),
        Setting(key: "chat.user_channel_ids", target: .choice(\.chat.userChannelIDs)),
        Setting(key: "chat.distinct_by_custom_type", target: .flag(\.chat.distinctByCustomType)),
        Setting(key: "chat.reactions", target: .flag(\.chat.reactions)),
        Setting(key: "chat.reactions_in_super_channels", target: .flag(\.chat.reactionsInSuperChannels)),
        Setting(key: "chat.reaction_users_shown", target: .number(0...100, \.chat.reactionUsersShown)),
        Setting(key: "chat.reply_type", target: .choice(\.chat.replyType)),
        Setting(key: "chat.thread_reply_select", target: .choice(\.chat.threadReplySelect)),
        Setting(key: "chat.mark_as_unread", target: .flag(\.chat.markAsUnread)),
        Setting(key: "chat.user_search", target: .flag(\.chat.userSearch)),
        Setting(key: "chat.channels_per_user", target: .number(1...100_000, \.chat.channelsPerUser)),
        Setting(key: "chat.invitations_per_user", target: .number(1...100_000, \.chat.invitationsPerUser)),
        Setting(key: "chat.channels_per_creator", target: .number(1...1_000_000, \.chat.channelsPerCreator)),
        Setting(key: "chat.creations_at_once", target: .number(1...1_000_000, \.chat.creationsAtOnce)),
        Setting(key: "chat.creations_per_minute", target: .number(1...1_000_000, \.chat.creationsPerMinute)),
        Setting(key: "chat.additions_at_once", target: .number(1...1_000_000, \.chat.additionsAtOnce)),
        Setting(key: "chat.additions_per_minute", target: .number(1...1_000_000, \.chat.additionsPerMinute)),
        Setting(key: "chat.most_replied_users", target: .number(1...20, \.chat.mostRepliedUsers)),
        Setting(key: "chat.members_per_channel", target: .number(1...100_000, \.chat.membersPerChannel)),
        Setting(key: "chat.members_per_super_channel", target: .number(1...1_000_000, \.chat.membersPerSuperChannel)),
        Setting(key: "chat.presence_members", target: .number(0...1_000, \.chat.presenceMembers)),
        Setting(key: "chat.presence_grace_ms", target: .number(0...600_000, \.chat.presenceGraceMilliseconds)),
        Setting(
            key: "retention.max_age_seconds", target: .number(FieldLimits.retentionSeconds, \.chat.retentionSeconds)),
        Setting(key: "retention.max_messages", target: .number(FieldLimits.retentionCount, \.chat.retentionCount)),
        Setting(key: "reports.keep_days", target: .number(0...36_500, \.chat.settledReportDays)),
        Setting(key: "export.own_data", target: .flag(\.chat.exportsOwnData)),
        Setting(key: "guests.enabled", target: .flag(\.chat.guests.isEnabled)),
        Setting(key: "guests.talk", target: .flag(\.chat.guests.canWrite)),
        Setting(key: "guests.at_most", target: .number(1...100_000, \.chat.guests.limit)),
        Setting(key: "guests.away_seconds", target: .number(1...31_536_000, \.chat.guests.awaySeconds)),
        Setting(key: "guests.token_seconds", target: .number(60...315_360_000, \.chat.guests.tokenSeconds)),
        Setting(
            key: "guests.per_address", target: .number(1...1_000_000, \.limits.connection.guests.perAddress),
            isReloaded: true),
        Setting(
            key: "guests.per_address_seconds",
            target: .number(1...86_400, \.limits.connection.guests.secondsEach), isReloaded: true),
        Setting(key: "journal.durability", target: .choice(\.limits.durability)),
        Setting(
            key: "journal.segment_bytes", target: .number(1_048_576...1_073_741_824, \.limits.journal.segmentBytes)),
        Setting(key: "journal.sync_ms", target: .number(1...60_000, \.limits.journal.syncMilliseconds)),
        Setting(
            key: "journal.snapshot_bytes", target: .number(1_048_576...1_099_511_627_776, \.limits.snapshots.bytes)),
        Setting(key: "journal.snapshot_seconds", target: .number(1...31_536_000, \.limits.snapshots.seconds)),
        Setting(key: "journal.recoverable_frames", target: .number(0...100_000_000, \.limits.engine.recoverableFrames)),
        Setting(
            key: "journal.recoverable_bytes",
            target: .number(0...1_099_511_627_776, \.limits.engine.recoverableBytes)),
        Setting(key: "history.memory_bytes", target: .number(0...1_099_511_627_776, \.limits.engine.bodyBytes)),
        Setting(
            key: "history.cache_bytes",
            target: .number(1_048_576...1_099_511_627_776, \.limits.engine.blockCacheBytes)),
        Setting(key: "rooms.ring_events", target: .number(1...1_000_000, \.limits.rings.eventsPerRoom)),
        Setting(key: "rooms.ring_bytes", target: .number(1_024...1_073_741_824, \.limits.rings.bytesPerRoom)),
        Setting(
            key: "rooms.ring_bytes_in_all", target: .number(1_024...1_099_511_627_776, \.limits.rings.bytesOfAllRooms)),
        Setting(
            key: "connections.message_bytes",
            target: .number(1_024...16_777_216, \.limits.connection.webSocket.messageBytes)),
        Setting(
            key: "connections.connect_message_bytes",
            target: .number(1_024...16_777_216, \.limits.connection.connectMessageBytes)),
        Setting(
            key: "connections.commands_in_flight",
            target: .number(1...10_000, \.limits.connection.session.commandsInFlight)),
        Setting(
            key: "connections.commands_per_second",
            target: .number(1...1_000_000, \.limits.connection.session.commands.perSecond), isReloaded: true),
        Setting(
            key: "connections.commands_at_once",
            target: .number(1...1_000_000, \.limits.connection.session.commands.burst), isReloaded: true),
        Setting(
            key: "connections.user_commands_per_second",
            target: .number(1...1_000_000, \.limits.connection.commandsPerUser.perSecond), isReloaded: true),
        Setting(
            key: "connections.user_commands_at_once",
            target: .number(1...1_000_000, \.limits.connection.commandsPerUser.burst), isReloaded: true),
        Setting(
            key: "connections.refusals_in_a_row",
            target: .number(0...1_000_000, \.limits.connection.session.refusalsInARow), isReloaded: true),
        Setting(
            key: "connections.per_user", target: .number(1...1_000_000, \.limits.connection.census.perUser),
            isReloaded: true),
        Setting(
            key: "connections.per_address", target: .number(1...1_000_000, \.limits.connection.census.perAddress),
            isReloaded: true),
        Setting(
            key: "connections.strangers_per_second",
            target: .number(1...1_000_000, \.limits.connection.strangers.requests.perSecond), isReloaded: true),
        Setting(
            key: "connections.strangers_at_once",
            target: .number(1...1_000_000, \.limits.connection.strangers.requests.burst), isReloaded: true),
        Setting(
            key: "connections.unauthenticated",
            target: .number(1...1_000_000, \.limits.connection.census.unauthenticated), isReloaded: true),
        Setting(
            key: "connections.unauthenticated_bytes",
            target: .number(65_536...1_099_511_627_776, \.limits.connection.census.unauthenticatedBytes),
            isReloaded: true),
        Setting(
            key: "connections.outbox_bytes", target: .number(4_096...1_073_741_824, \.limits.connection.outbox.bytes)),
        Setting(
            key: "connections.answer_bytes",
            target: .number(1_048_576...1_073_741_824, \.limits.connection.outbox.answerBytes)),
        Setting(
            key: "work.user_us_per_second",
            target: .number(1_000...1_000_000, \.limits.engine.budgets.user.work.perSecond)),
        Setting(
            key: "work.user_us_at_once", target: .number(1_000...60_000_000, \.limits.engine.budgets.user.work.burst)),
        Setting(
            key: "work.user_bytes_per_second",
            target: .number(1_024...1_073_741_824, \.limits.engine.budgets.user.bytes.perSecond)),
        Setting(
            key: "work.user_bytes_at_once",
            target: .number(65_536...1_073_741_824, \.limits.engine.budgets.user.bytes.burst)),
        Setting(
            key: "work.guest_us_per_second",
            target: .number(1_000...1_000_000, \.limits.engine.budgets.guest.work.perSecond)),
        Setting(
            key: "work.guest_us_at_once", target: .number(1_000...60_000_000, \.limits.engine.budgets.guest.work.burst)
        ),
        Setting(
            key: "work.guest_bytes_per_second",
            target: .number(1_024...1_073_741_824, \.limits.engine.budgets.guest.bytes.perSecond)),
        Setting(
            key: "work.guest_bytes_at_once",
            target: .number(65_536...1_073_741_824, \.limits.engine.budgets.guest.bytes.burst)),
        Setting(
            key: "work.address_us_per_second",
            target: .number(1_000...1_000_000, \.limits.engine.budgets.guestsPerAddress.work.perSecond)),
        Setting(
            key: "work.address_us_at_once",
            target: .number(1_000...60_000_000, \.limits.engine.budgets.guestsPerAddress.work.burst)),
        Setting(
            key: "work.address_bytes_per_second",
            target: .number(1_024...1_073_741_824, \.limits.engine.budgets.guestsPerAddress.bytes.perSecond)),
        Setting(
            key: "work.address_bytes_at_once",
            target: .number(65_536...1_073_741_824, \.limits.engine.budgets.guestsPerAddress.bytes.burst)),
        Setting(
            key: "connections.unread_bytes_of_user",
            target: .number(1_048_576...1_099_511_627_776, \.limits.connection.unread.ofUser)),
        Setting(
            key: "connections.unread_bytes",
            target: .number(1_048_576...1_099_511_627_776, \.limits.connection.unread.total)),
        Setting(
            key: "connections.unfinished_bytes_of_user",
            target: .number(1_048_576...1_099_511_627_776, \.limits.connection.unfinished.ofUser)),
        Setting(
            key: "connections.unfinished_bytes",
            target: .number(1_048_576...1_099_511_627_776, \.limits.connection.unfinished.total)),
        Setting(key: "connections.compression", target: .flag(\.limits.connection.compression.isOn)),
        Setting(
            key: "connections.compression_threshold_bytes",
            target: .number(0...16_777_216, \.limits.connection.compression.thresholdBytes)),
        Setting(
            key: "connections.compression_level", target: .number(1...9, \.limits.connection.compression.level)),
        Setting(
            key: "connections.compression_window_bits",
            target: .number(9...15, \.limits.connection.compression.windowBits)),
        Setting(
            key: "connections.connect_ms",
            target: .milliseconds(100...600_000, \.limits.connection.session.connectMilliseconds)),
        Setting(
            key: "connections.message_ms",
            target: .milliseconds(100...600_000, \.limits.connection.messageMilliseconds)),
        Setting(
            key: "connections.ping_ms",
            target: .milliseconds(1_000...600_000, \.limits.connection.session.pingMilliseconds)),
        Setting(
            key: "connections.pong_ms",
            target: .milliseconds(1_000...600_000, \.limits.connection.session.pongMilliseconds)),
        Setting(
            key: "connections.tls_handshake_ms",
            target: .milliseconds(100...600_000, \.limits.connection.handshakeMilliseconds)),
        Setting(key: "tokens.keys_file", target: .path(\.tokens.keysFile)),
        Setting(key: "tokens.jwks_url", target: .text("the URL of a JWK set", \.tokens.jwksURL)),
        Setting(key: "tokens.jwks_refresh_seconds", target: .number(1...86_400, \.tokens.jwksRefreshSeconds)),
        Setting(key: "tokens.jwks_timeout_ms", target: .number(100...60_000, \.tokens.jwksTimeoutMilliseconds)),
        Setting(key: "tokens.jwks_pause_ms", target: .number(100...3_600_000, \.tokens.jwksPauseMilliseconds)),
        Setting(key: "tokens.waiting", target: .number(1...1_000_000, \.tokens.waiting)),
        Setting(key: "tokens.jwks_http_networks", target: .jwksNetworks),
        Setting(key: "tokens.issuer", target: .text("the iss claim that every token must have", \.tokens.issuer)),
        Setting(key: "tokens.audience", target: .text("an audience that every token must name", \.tokens.audience)),
        Setting(key: "webhooks.queue_events", target: .number(1...1_000_000, \.limits.webhooks.queueEvents)),
        Setting(
            key: "webhooks.queue_bytes", target: .number(1_048_576...1_099_511_627_776, \.limits.webhooks.queueBytes)),
        Setting(
            key: "webhooks.overflow_bytes", target: .number(0...1_099_511_627_776, \.limits.webhooks.overflowBytes)),
        Setting(key: "webhooks.lag_frames", target: .number(1_000...1_000_000_000, \.limits.webhooks.lagFrames)),
        Setting(
            key: "webhooks.lag_bytes", target: .number(1_048_576...1_099_511_627_776, \.limits.webhooks.lagBytes)),
        Setting(key: "webhooks.attempts", target: .number(1...1_000, \.limits.webhooks.attempts)),
        Setting(key: "webhooks.dead_letters", target: .number(0...10_000, \.limits.webhooks.deadLetters)),
        Setting(key: "webhooks.timeout_ms", target: .number(100...600_000, \.limits.webhooks.timeoutMilliseconds)),
        Setting(key: "webhooks.allowed_networks", target: .allowedNetworks),
        Setting(key: "hook.requests", target: .number(1...100_000, \.limits.hook.requests)),
        Setting(key: "hook.connections", target: .number(1...1_000, \.limits.hook.connections)),
        Setting(key: "files.max_bytes", target: .number(1...1_099_511_627_776, \.limits.files.maxBytes)),
        Setting(key: "files.open", target: .number(1...100_000, \.limits.files.openFiles)),
        Setting(key: "files.open_of_user", target: .number(1...100_000, \.limits.files.openFilesOfUser)),
        Setting(key: "files.piece_ms", target: .milliseconds(100...3_600_000, \.limits.files.pieceMilliseconds)),
        Setting(
            key: "files.bytes_per_user", target: .number(0...1_125_899_906_842_624, \.chat.fileBytesPerUser)),
        Setting(
            key: "files.bytes_per_second_of_user",
            target: .number(1...1_099_511_627_776, \.limits.files.ratesOfUser.bytesPerSecond)),
        Setting(
            key: "files.bytes_at_once_of_user",
            target: .number(1...1_099_511_627_776, \.limits.files.ratesOfUser.burst)),
        Setting(key: "files.thumbnails", target: .flag(\.limits.files.makesThumbnails)),
        Setting(key: "files.thumbnail_pixels", target: .number(1...1_000_000_000, \.limits.files.thumbnailPixels)),
        Setting(
            key: "storage.reserve_bytes", target: .number(0...1_125_899_906_842_624, \.limits.reserveBytes)),
        Setting(key: "page.enabled", target: .flag(\.page.isEnabled)),
        Setting(key: "page.folder", target: .path(\.page.folder)),
        Setting(key: "admin.host", target: .text("a loopback address", \.admin.host)),
        Setting(key: "admin.port", target: .port(\.admin.port)),
        Setting(key: "admin.allowed_hosts", target: .allowedHosts),
        Setting(key: "admin.tails", target: .number(1...1_000, \.admin.tails)),
        Setting(key: "admin.tail_events", target: .number(1...1_000_000, \.admin.tailEvents)),
        Setting(key: "admin.tail_bytes", target: .number(1_024...1_073_741_824, \.admin.tailBytes)),
        Setting(key: "cluster.url", target: .natsServers),
        Setting(key: "cluster.name", target: .text("the cluster's name", \.cluster.givenName)),
        Setting(key: "cluster.node", target: .text("this node's name", \.cluster.node)),
        Setting(key: "cluster.credentials_file", target: .path(\.cluster.credentialsFile)),
        Setting(key: "cluster.ca_file", target: .path(\.cluster.authoritiesFile)),
        Setting(key: "cluster.certificate_file", target: .path(\.cluster.certificateFile)),
        Setting(key: "cluster.key_file", target: .path(\.cluster.keyFile)),
        Setting(key: "cluster.replicas", target: .number(1...5, \.cluster.replicas)),
        Setting(key: "cluster.max_bytes", target: .number(0...1_125_899_906_842_624, \.cluster.maxBytes)),
        Setting(key: "cluster.keep_hours", target: .number(0...8_760, \.cluster.keepHours)),
        Setting(key: "cluster.wait_seconds", target: .number(0...86_400, \.cluster.waitSeconds)),
        Setting(
            key: "cluster.address", target: .text("the address at which clients reach this node", \.cluster.address)),
        Setting(key: "log.level", target: .choice(\.logLevel), isReloaded: true),
        Setting(key: "server.api_keys_file", target: .path(\.keysFile)),
        Setting(key: "server.allowed_origins", target: .allowedOrigins, isReloaded: true),
        Setting(key: "server.unknown_fields", target: .choice(\.limits.connection.unknownFields), isReloaded: true),
        Setting(key: "server.trusted_proxies", target: .trustedProxies),
        Setting(key: "server.proxy_protocol", target: .flag(\.limits.connection.proxies.sendHeader)),
        Setting(
            key: "server.idempotency_answers", target: .number(1...1_000_000, \.limits.connection.idempotency.answers)),
        Setting(
            key: "server.idempotency_bytes",
            target: .number(65_536...1_099_511_627_776, \.limits.connection.idempotency.bytes)),
        Setting(
            key: "server.idempotency_ms",
            target: .milliseconds(1_000...2_592_000_000, \.limits.connection.idempotency.milliseconds)),
        Setting(key: "server.drain_ms", target: .number(0...600_000, \.limits.drainMilliseconds), isReloaded: true),
    ]
}

extension Setting.Target {
    fileprivate static let allowedOrigins = Self.texts(
        "origins, as https://chat.example.com", Setting.Place(\.limits.connection.origins)
    ) { texts, configuration in
        guard let origins = AllowedOrigins(texts) else { return false }
        configuration.limits.connection.origins = origins
        return true
    }

    fileprivate static let allowedHosts = Self.texts(
        "host names, such as console.example.com", Setting.Place(\.admin.allowedHosts)
    ) { texts, configuration in
        configuration.admin.allowedHosts = texts
        return AdminGuard(hosts: texts) != nil
    }

    fileprivate static let natsServers = Self.texts(
        "URLs of NATS servers, as nats://host:4222", Setting.Place(\.cluster.servers)
    ) { texts, configuration in
        configuration.cluster.servers = texts
        // A URL with a password gets a more helpful error later, which does not show it.
        return texts.allSatisfy { $0.contains("@") || Belfry.Configuration.Cluster.isServer($0) }
    }

    fileprivate static let trustedProxies = networks(\.limits.connection.proxies.ranges)
    fileprivate static let jwksNetworks = networks(\.tokens.jwksHTTPNetworks)
    fileprivate static let allowedNetworks = networks(\.limits.webhooks.destinations.allowed)

    private static func networks(_ place: WritableKeyPath<Belfry.Configuration, [IPRange]> & Sendable) -> Self {
        .texts("addresses and ranges, as 10.0.0.0/8", Setting.Place(place)) { texts, configuration in
            let ranges = texts.compactMap { IPRange($0) }
            configuration[keyPath: place] = ranges
            return ranges.count == texts.count
        }
    }
}
