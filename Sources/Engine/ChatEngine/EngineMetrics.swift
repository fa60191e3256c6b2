import MetricTable
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
    /// Messages removed because they had ended, or by retention.
    let messagesRemoved: Counter
    /// Messages and channels with a time at which something is to be removed.
    let deadlines: Gauge
    /// Messages from before the start whose push recipients are not found yet.
    let restoredPushesWaiting: Gauge
    let restoredPushesDropped: Counter
    /// Commands sent to the node that decides and not answered yet.
    let commandsRelayed: Gauge
    /// Reads that wait for what other nodes have acknowledged.
    let readsWaiting: Gauge
    /// Searches that wait for the index.
    let searchesWaiting: Gauge
    let rulesWaiting: Gauge
    /// The memory of the bodies of messages, as of the last snapshot.
    let bodyBytes: Gauge
    /// The memory of the blocks read from disk.
    let blockCacheBytes: Gauge
    /// Blocks that commands and queries missed.
    let bodyMisses: Counter
    /// Blocks read on the engine's queue, which waited for the disk.
    let bodyReads: Gauge
    let blocksDamaged: Counter

    init(_ factory: any MetricsFactory) {
        commands = Counter(.commands, factory)
        refusals = Counter(.commandsRefused, factory)
        overBudget = Counter(.commandsOverBudget, factory)
        overBacklog = Counter(.commandsOverBacklog, factory)
        usersOverBudget = Gauge(.usersOverBudget, factory)
        work = Counter(.workUnits, factory)
        slices = Counter(.querySlices, factory)
        waiting = Gauge(.commandsWaiting, factory)
        users = Gauge(.users, factory)
        usersOnline = Gauge(.usersOnline, factory)
        channels = Gauge(.channels, factory)
        revocations = Gauge(.tokenRevocations, factory)
        guests = Gauge(.guests, factory)
        allowances = Gauge(.userAllowances, factory)
        guestsRemoved = Counter(.guestsRemoved, factory)
        messagesRemoved = Counter(.messagesRemoved, factory)
        deadlines = Gauge(.deadlines, factory)
        restoredPushesWaiting = Gauge(.restoredPushesWaiting, factory)
        restoredPushesDropped = Counter(.restoredPushesDropped, factory)
        commandsRelayed = Gauge(.clusterCommandsRelayed, factory)
        readsWaiting = Gauge(.clusterReadsWaiting, factory)
        searchesWaiting = Gauge(.searchesWaiting, factory)
        rulesWaiting = Gauge(.textRulesWaiting, factory)
        bodyBytes = Gauge(.bodyBytes, factory)
        blockCacheBytes = Gauge(.blockCacheBytes, factory)
        bodyMisses = Counter(.bodyMisses, factory)
        bodyReads = Gauge(.bodyReads, factory)
        blocksDamaged = Counter(.blocksDamaged, factory)
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
        events = Counter(.events, factory)
        transients = Counter(.transientEvents, factory)
        messages = Counter(.messages, factory)
        recoveries = Counter(.recoveries, factory)
        recoveriesImpossible = Counter(.recoveriesImpossible, factory)
        syncs = Counter(.logBatches, factory)
        synced = Counter(.logOutcomes, factory)
        ringBytes = Gauge(.ringBytes, factory)
        ringEvictions = Counter(.ringEvictions, factory)
        rooms = Gauge(.roomsListened, factory)
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
