import ChatDomain
import ChatModel
import Gateway
import WireProtocol

/// How many guests of each origin there are, so that no network takes all the places.
///
/// In memory alone: guests from before a restart count for nobody, and go when their stay is over. No larger than the
/// number of guests.
struct GuestOrigins {
    private var origins: [UserID: GuestOrigin] = [:]
    private var counts: [String: Int] = [:]

    /// - Throws: 1031 when one of the origin's shares is used up, or what is left is the app's own.
    func check(_ origin: GuestOrigin, guests: Int, _ settings: GuestSettings) throws(Rejection) {
        guard counts[origin.own, default: 0] < settings.atMostOfAddress else {
            throw Rejection(.tooMany, "guests of one address: \(settings.atMostOfAddress)")
        }
        guard counts[origin.network, default: 0] < settings.atMostOfNetwork else {
            throw Rejection(.tooMany, "guests of one network: \(settings.atMostOfNetwork)")
        }
        guard guests < settings.atMostOfNewcomers else {
            throw Rejection(.tooMany, "guests: \(settings.atMostOfNewcomers)")
        }
    }

    mutating func enter(_ guest: UserID, _ origin: GuestOrigin) {
        guard origins.updateValue(origin, forKey: guest) == nil else { return }
        for name in [origin.own, origin.network] { counts[name, default: 0] += 1 }
    }

    mutating func leave(_ guest: UserID) {
        guard let origin = origins.removeValue(forKey: guest) else { return }
        for name in [origin.own, origin.network] {
            guard let count = counts[name] else { continue }
            counts[name] = count > 1 ? count - 1 : nil
        }
    }
}

extension ChatEngine {
    /// Takes in a guest: one who came without credentials counts for the origin that the address names, until the guest is
    /// forgotten, and one of the app's backend for none.
    package func admit(_ guest: AdmitGuest, answerTo address: ReturnAddress) {
        guard let origin = address.guestOrigin else { return change(guest, as: .server, answerTo: address) }
        // At the cost of where it comes from: guests in great numbers are not to stand before anybody.
        enter(address, .user(guest.id), payers: .guest(guest.id, address: origin.own)) { engine in
            do throws(Rejection) {
                try engine.guestOrigins.check(origin, guests: engine.state.guestCount, engine.guestSettings)
            } catch {
                engine.refuse(error, address)
                return nil
            }
            let isKnown = engine.state.knows(guest.id)
            let rest = engine.carryOut(guest, as: .server, address)
            if !isKnown, engine.state.knows(guest.id) { engine.guestOrigins.enter(guest.id, origin) }
            return rest
        }
    }
}
