/// The slots that objects set by `setPrimitiveValue(_:forKey:)`, and the changes that they
/// announced by `willChangeValue(forKey:)`.
struct PrimitiveWrites {
    /// The stored slots that differ from the saved row without counting as changed. An object
    /// stays here until it is saved, rolled back or turned into a fault. It is never `writable`
    /// meanwhile, so that the first ordinary write of such a slot is recorded.
    private var slots: [ManagedObject: Set<Int>] = [:]
    private var reported: [(object: ObjectIdentifier, slot: Int)] = []

    func contains(_ object: ManagedObject) -> Bool { !slots.isEmpty && slots[object] != nil }

    func contains(_ object: ManagedObject, _ slot: Int) -> Bool {
        !slots.isEmpty && slots[object]?.contains(slot) == true
    }

    mutating func insert(_ object: ManagedObject, _ slot: Int) {
        slots[object, default: []].insert(slot)
    }

    /// Removes a slot that an ordinary write sets. From then on the slot counts as changed if it
    /// differs from the saved row.
    mutating func remove(_ object: ManagedObject, _ slot: Int) {
        if !slots.isEmpty { slots[object]?.remove(slot) }
    }

    mutating func remove(_ object: ManagedObject) {
        if !slots.isEmpty { slots[object] = nil }
    }

    /// Removes the objects that a save has written. The other objects keep their slots.
    mutating func settle() {
        if !slots.isEmpty { slots = slots.filter { !$0.key.committed.isEmpty } }
    }

    /// - Returns: The objects that had primitive writes.
    mutating func removeAll() -> [ManagedObject] {
        defer { self = PrimitiveWrites() }
        return Array(slots.keys)
    }

    mutating func announce(_ object: ManagedObject, _ slot: Int) {
        reported.append((ObjectIdentifier(object), slot))
    }

    mutating func endAnnouncement(_ object: ManagedObject, _ slot: Int) {
        let place = reported.lastIndex { $0.object == ObjectIdentifier(object) && $0.slot == slot }
        if let place { reported.remove(at: place) }
    }

    func isAnnounced(_ object: ManagedObject, _ slot: Int) -> Bool {
        reported.contains { $0.object == ObjectIdentifier(object) && $0.slot == slot }
    }

    mutating func endEvent() {
        if !reported.isEmpty { reported = [] }
    }
}
