/// Slots for registrations. Each has a generation that counts its owners, so that an event for a former owner finds
/// nothing.
struct RegistrationTable {
    struct Entry {
        let descriptor: Int32
        var interest: Interest
        let handler: any ReadinessHandler
    }

    private struct Slot {
        var generation: UInt32 = 0
        var entry: Entry?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    /// The entry, or nil when it was removed.
    subscript(registration: Registration) -> Entry? {
        let index = Int(registration.index)
        guard index < slots.count, slots[index].generation == registration.generation else { return nil }
        return slots[index].entry
    }

    mutating func insert(_ entry: Entry) -> Registration {
        guard let index = free.popLast() else {
            slots.append(Slot(entry: entry))
            return Registration(index: UInt32(slots.count - 1), generation: 0)
        }
        slots[Int(index)].entry = entry
        return Registration(index: index, generation: slots[Int(index)].generation)
    }

    /// - Returns: False when the registration was removed.
    mutating func setInterest(_ interest: Interest, for registration: Registration) -> Bool {
        guard self[registration] != nil else { return false }
        slots[Int(registration.index)].entry?.interest = interest
        return true
    }

    /// - Returns: The entry, so that the caller releases its handler after the change rather than during it; nil when
    ///   it was already removed.
    mutating func remove(_ registration: Registration) -> Entry? {
        guard let entry = self[registration] else { return nil }
        let index = Int(registration.index)
        slots[index].entry = nil
        slots[index].generation &+= 1
        free.append(registration.index)
        return entry
    }
}
