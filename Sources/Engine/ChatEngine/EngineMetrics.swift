import Metrics

struct EngineMetrics {
    let commands: Counter
    let refusals: Counter
    /// Commands refused because their user had used up the budget of work or bytes.
    let overBudget: Counter
    let overBacklog: Counter
    let usersOverBudget: Gauge
    /// The cost of all commands, in work units.
    let work: Counter
    /// Turns that ended with a query or a search for push recipients unfinished.
    let slices: Counter
    let waiting: Gauge
    let users: Gauge
    let usersOnline: Gauge
    let channels: Gauge
    /// Users with revoked tokens.
    let revocations: Gauge
    let guests: Gauge
    /// Users whose allowances of channels and additions are partly used.
    let allowances: Gauge
    /// Guests removed after a long absence.
    let guestsRemoved: Counter
    /// Messages from before the start whose push recipients are not found yet.
    let restoredPushesWaiting: Gauge
    let restoredPushesDropped: Counter

    init(_ factory: any MetricsFactory) {
        commands = Counter(label: "belfry_commands_total", factory: factory)
        refusals = Counter(label: "belfry_commands_refused_total", factory: factory)
        overBudget = Counter(label: "belfry_commands_over_budget_total", factory: factory)
        overBacklog = Counter(label: "belfry_commands_over_backlog_total", factory: factory)
        usersOverBudget = Gauge(label: "belfry_users_over_budget", factory: factory)
        work = Counter(label: "belfry_work_units_total", factory: factory)
        slices = Counter(label: "belfry_query_slices_total", factory: factory)
        waiting = Gauge(label: "belfry_commands_waiting", factory: factory)
        users = Gauge(label: "belfry_users", factory: factory)
        usersOnline = Gauge(label: "belfry_users_online", factory: factory)
        channels = Gauge(label: "belfry_channels", factory: factory)
        revocations = Gauge(label: "belfry_token_revocations", factory: factory)
        guests = Gauge(label: "belfry_guests", factory: factory)
        allowances = Gauge(label: "belfry_user_allowances", factory: factory)
        guestsRemoved = Counter(label: "belfry_guests_removed_total", factory: factory)
        restoredPushesWaiting = Gauge(label: "belfry_restored_pushes_waiting", factory: factory)
        restoredPushesDropped = Counter(label: "belfry_restored_pushes_dropped_total", factory: factory)
    }
}

struct PublisherMetrics {
    let events: Counter
    let transients: Counter
    let messages: Counter
    let recoveries: Counter
    let recoveriesImpossible: Counter
    private let syncs: Counter
    private let synced: Counter
    private let ringBytes: Gauge
    private let ringEvictions: Counter
    private var evictions = 0
    private let rooms: Gauge

    init(_ factory: any MetricsFactory) {
        events = Counter(label: "belfry_events_total", factory: factory)
        transients = Counter(label: "belfry_transient_events_total", factory: factory)
        messages = Counter(label: "belfry_messages_total", factory: factory)
        recoveries = Counter(label: "belfry_recoveries_total", factory: factory)
        recoveriesImpossible = Counter(label: "belfry_recoveries_impossible_total", factory: factory)
        syncs = Counter(label: "belfry_log_batches_total", factory: factory)
        synced = Counter(label: "belfry_log_outcomes_total", factory: factory)
        ringBytes = Gauge(label: "belfry_ring_bytes", factory: factory)
        ringEvictions = Counter(label: "belfry_ring_evictions_total", factory: factory)
        rooms = Gauge(label: "belfry_rooms_listened", factory: factory)
    }

    func recordBatch(_ count: Int) {
        syncs.increment()
        synced.increment(by: count)
    }

    /// - Parameter evicted: The total number of evicted events so far.
    mutating func recordRings(bytes: Int, evicted: Int, rooms: Int) {
        ringBytes.record(bytes)
        if evicted > evictions { ringEvictions.increment(by: evicted - evictions) }
        evictions = evicted
        self.rooms.record(rooms)
    }
}
