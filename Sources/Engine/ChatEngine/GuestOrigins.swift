import ChatDomain
import ChatModel
import Gateway

/// Counts the guests of each origin, so that no network takes all the places.
///
/// Held in memory only: guests from before a restart count towards no origin, and leave when their stay ends. At most
/// as large as the number of guests.
struct GuestOrigins {
    private var origins: [UserID: GuestOrigin] = [:]
    private var counts: [String: Int] = [:]

    /// - Throws: 1031 if one of the origin's shares is used up, or only the places reserved for the app are left.
    func check(_ origin: GuestOrigin, guests: Int, _ settings: GuestSettings) throws(Rejection) {
        guard counts[origin.block, default: 0] < settings.limitPerAddress else {
            throw Rejection(.tooMany, "guests of one address: at most \(settings.limitPerAddress)")
        }
        guard counts[origin.network, default: 0] < settings.limitPerNetwork else {
            throw Rejection(.tooMany, "guests of one network: at most \(settings.limitPerNetwork)")
        }
        guard guests < settings.newcomerLimit else {
            throw Rejection(.tooMany, "guests: at most \(settings.newcomerLimit)")
        }
    }

    mutating func add(_ guest: UserID, _ origin: GuestOrigin) {
        guard origins.updateValue(origin, forKey: guest) == nil else { return }
        for name in [origin.block, origin.network] { counts[name, default: 0] += 1 }
    }

    mutating func remove(_ guest: UserID) {
        guard let origin = origins.removeValue(forKey: guest) else { return }
        for name in [origin.block, origin.network] {
            guard let count = counts[name] else { continue }
            counts[name] = count > 1 ? count - 1 : nil
        }
    }
}

extension ChatEngine {
    /// Creates a guest. A guest without credentials counts towards the origin in the return address until the guest is
    /// removed; a guest created by the app's backend counts towards none.
    package func admit(_ guest: AdmitGuest, answerTo address: ReturnAddress) {
        guard let origin = address.guestOrigin else { return change(guest, as: .server, answerTo: address) }
        // Charged to the origin, so that large numbers of guests do not delay anyone else.
        enter(address, .user(guest.id), payers: .guest(guest.id, address: origin.block)) { engine in
            if engine.relays {
                engine.relay(guest, as: .server, admitsNewcomer: true, address)
                return nil
            }
            return engine.begin(guest, of: origin, address)
        }
    }

    /// - Returns: The next turn, if the command takes several.
    func begin(_ guest: AdmitGuest, of origin: GuestOrigin, _ address: ReturnAddress) -> Rest? {
        do throws(Rejection) {
            try guestOrigins.check(origin, guests: state.guestCount, guestSettings)
        } catch {
            refuse(error, address)
            return nil
        }
        let isKnown = state.knows(guest.id)
        let rest = carryOut(guest, as: .server, address)
        if !isKnown, state.knows(guest.id) { guestOrigins.add(guest.id, origin) }
        return rest
    }
}
