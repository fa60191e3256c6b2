/// A guest's network, as opaque names that are equal for addresses in the same block. The guests in a block share a
/// budget, and their number is limited. It is a class because every reply carries it.
package final class GuestOrigin: Equatable, Sendable {
    /// The address block that belongs to a single party.
    package let block: String
    /// The larger network that contains the block.
    package let network: String

    package init(block: String, network: String) {
        self.block = block
        self.network = network
    }

    package static func == (a: GuestOrigin, b: GuestOrigin) -> Bool { a.block == b.block && a.network == b.network }
}
