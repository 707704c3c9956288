import AnabranchStore

/// A context's objects by their local IDs.
///
/// It holds its objects strongly, and gives up those that nobody else holds when it is asked to:
/// weak references would cost an allocation per object and, later, time at every use, and objects
/// that take themselves off in their deinit would have to do so on whatever thread drops them
/// last. Open addressing with linear probing; a local ID is never 0.
struct IdentityMap {
    private var keys: [LocalID]
    private var objects: [ManagedObject?]
    private var shift: UInt64
    private(set) var count = 0

    init(minimumCapacity: Int = 16) {
        var bits: UInt64 = 5
        while (1 << bits) * 2 / 3 < minimumCapacity { bits += 1 }
        shift = 64 - bits
        keys = Array(repeating: 0, count: 1 << bits)
        objects = Array(repeating: nil, count: 1 << bits)
    }

    private func home(of key: LocalID) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    /// The place of the key, or the empty one where it would go.
    private func place(of key: LocalID) -> Int {
        var place = home(of: key)
        while keys[place] != 0, keys[place] != key { place = (place + 1) & (keys.count - 1) }
        return place
    }

    subscript(key: LocalID) -> ManagedObject? { objects[place(of: key)] }

    /// The object, unless it could go: then it is as if a weak reference to it had been cleared.
    mutating func held(
        _ key: LocalID, orKept isKept: (ManagedObject) -> Bool
    ) -> ManagedObject? {
        let place = place(of: key)
        if isKnownUniquelyReferenced(&objects[place]), let object = objects[place],
            !isKept(object)
        {
            return nil
        }
        return objects[place]
    }

    /// - Returns: The object that the key had before, for the caller to drop.
    @discardableResult
    mutating func insert(_ object: ManagedObject, for key: LocalID) -> ManagedObject? {
        if (count + 1) * 3 > keys.count * 2 {
            self = filtered(capacity: count * 2 + 16) { _ in true }
        }
        let place = place(of: key)
        if keys[place] == 0 { count += 1 }
        let earlier = objects[place]
        keys[place] = key
        objects[place] = object
        return earlier
    }

    mutating func remove(_ key: LocalID) {
        var hole = place(of: key)
        guard keys[hole] == key else { return }
        count -= 1
        let mask = keys.count - 1
        var next = (hole + 1) & mask
        // What lies behind moves up unless it would then lie before its home.
        while keys[next] != 0 {
            if (next - home(of: keys[next])) & mask >= (next - hole) & mask {
                keys[hole] = keys[next]
                objects[hole] = objects[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        keys[hole] = 0
        objects[hole] = nil
    }

    /// Gives up the objects that nobody else holds, but those that may not go.
    ///
    /// - Returns: The objects, for the caller to drop: their deinit may run code of the app.
    mutating func removeUnheld(except isKept: (ManagedObject) -> Bool) -> [ManagedObject] {
        var unheld: [ManagedObject] = []
        for place in keys.indices where keys[place] != 0 {
            if objects[place].map(isKept) ?? true { continue }
            guard isKnownUniquelyReferenced(&objects[place]) else { continue }
            if let object = objects[place] { unheld.append(object) }
            objects[place] = nil
        }
        if !unheld.isEmpty { self = filtered(capacity: count - unheld.count) { $0 != nil } }
        return unheld
    }

    private func filtered(
        capacity: Int, _ isKept: (ManagedObject?) -> Bool
    ) -> IdentityMap {
        var map = IdentityMap(minimumCapacity: capacity)
        for place in keys.indices where keys[place] != 0 && isKept(objects[place]) {
            let free = map.place(of: keys[place])
            map.keys[free] = keys[place]
            map.objects[free] = objects[place]
            map.count += 1
        }
        return map
    }

    /// In no particular order.
    var values: [ManagedObject] { objects.compactMap { $0 } }

    func forEach(_ body: (ManagedObject) -> Void) {
        for case let object? in objects { body(object) }
    }
}
