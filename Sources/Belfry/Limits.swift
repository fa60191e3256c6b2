import ChatEngine
import Gateway
import Journal
import Transport
import Webhooks

/// All limits of the server, with defaults.
package struct Limits: Sendable {
    package var connection = ConnectionLimits()
    package var engine = ChatEngine.Limits()
    package var journal = JournalOptions()
    /// When the journal's writes count as durable; nil for `journal.durability`, or `interval` on a node of a cluster.
    package var durability: Durability?
    package var snapshots = SnapshotOptions()
    package var files = FileStore.Limits()
    /// The space to keep free on the data folder's file system in bytes, at most a twentieth of it.
    package var reserveBytes = 1_073_741_824
    package var rings = RoomRings.Limits()
    package var webhooks = WebhookLimits()
    package var hook = HookCaller.Limits()
    /// The time that a stopping server spends notifying its clients.
    package var drainMilliseconds = 5_000
    /// Descriptors reserved for listeners, loops and files, which clients cannot use.
    package var reservedDescriptors = 256

    package init() {}

    /// - Parameter isMirror: Whether the journal mirrors the log of a cluster, which has synced what the journal contains. So
    ///   its own syncs need not precede acknowledgements.
    func journalOptions(isMirror: Bool) -> JournalOptions {
        var options = journal
        options.durability = durability ?? (isMirror ? .interval : journal.durability)
        return options
    }
}
