import ChatDomain
import Gateway

/// A command on its way to the node that decides.
package struct RelayedCommand: Equatable, Sendable {
    /// The command's number in this process, from 1.
    package let serial: UInt64
    package let method: String
    /// The request in JSON.
    package let request: [UInt8]
    package let caller: Caller
    /// As for `ChatEngine.change`.
    package let admitsNewcomer: Bool
    package let guestOrigin: GuestOrigin?
    /// The request's idempotency key, encoded; `nil` without a key.
    package let claim: [UInt8]?

    /// The greatest size of a request in bytes: twice the largest message that a setting allows.
    package static let sizeLimit = 32 << 20

    package init(
        serial: UInt64, method: String, request: [UInt8], caller: Caller, admitsNewcomer: Bool,
        guestOrigin: GuestOrigin?, claim: [UInt8]? = nil
    ) {
        self.serial = serial
        self.method = method
        self.request = request
        self.caller = caller
        self.admitsNewcomer = admitsNewcomer
        self.guestOrigin = guestOrigin
        self.claim = claim
    }
}
