import AnabranchStore

/// A context's objects by their local IDs.
///
/// It holds its objects strongly, and gives up those that nobody else holds when it is asked to:
/// weak references would cost an allocation per object and, later, time at every use, and objects
/// that take themselves off in their deinit would have to do so on whatever thread drops them
/// last.
///
/// Open addressing with linear probing; a local ID is never 0, which marks an empty place. Eight
/// IDs that follow one another have eight places that do, so that what was made together, which
/// is mostly fetched together, shares cache lines.
struct IdentityMap: ~Copyable {
    private var keys: UnsafeMutablePointer<LocalID>
    /// Initialized where there is a key.
    private var objects: UnsafeMutablePointer<ManagedObject>
    private var bits: UInt64
    private(set) var count = 0

    private static let runBits: UInt64 = 3

    init(minimumCapacity: Int = 16) {
        bits = 5
        while (1 << bits) * 2 / 3 < minimumCapacity { bits += 1 }
        keys = .allocate(capacity: 1 << bits)
        keys.initialize(repeating: 0, count: 1 << bits)
        objects = .allocate(capacity: 1 << bits)
    }

    deinit {
        for place in 0..<(1 << bits) where keys[place] != 0 {
            (objects + place).deinitialize(count: 1)
        }
        keys.deallocate()
        objects.deallocate()
    }

    private var mask: Int { (1 << bits) - 1 }

    @inline(__always)
    private func home(of key: LocalID) -> Int {
        let run = UInt64(bitPattern: key >> Int64(Self.runBits)) &* 0x9E37_79B9_7F4A_7C15
        let first = (run >> (64 - bits + Self.runBits)) << Self.runBits
        return Int(truncatingIfNeeded: first) | Int(key & ((1 << Int64(Self.runBits)) - 1))
    }

    /// The place of the key, or the empty one where it would go.
    @inline(__always)
    private func place(of key: LocalID) -> Int {
        var place = home(of: key)
        while keys[place] != 0, keys[place] != key { place = (place + 1) & mask }
        return place
    }

    subscript(key: LocalID) -> ManagedObject? {
        let place = place(of: key)
        return keys[place] == 0 ? nil : objects[place]
    }

    /// The object, unless it could go: then it is as if a weak reference to it had been cleared.
    @inline(__always)
    func held(
        _ key: LocalID, orKept isKept: (ManagedObject) -> Bool
    ) -> ManagedObject? {
        let place = place(of: key)
        if keys[place] == 0 { return nil }
        if isKnownUniquelyReferenced(&objects[place]), !isKept(objects[place]) { return nil }
        return objects[place]
    }

    /// - Returns: The object that the key had before, for the caller to drop.
    @discardableResult
    mutating func insert(_ object: ManagedObject, for key: LocalID) -> ManagedObject? {
        if (count + 1) * 3 > (2 << bits) { resize(capacity: count * 2 + 16) }
        let place = place(of: key)
        guard keys[place] == 0 else {
            let earlier = objects[place]
            objects[place] = object
            return earlier
        }
        count += 1
        keys[place] = key
        (objects + place).initialize(to: object)
        return nil
    }

    /// Registers those of some objects that are not.
    ///
    /// - Parameter unregistered: How many these are.
    mutating func insert(_ objects: [ManagedObject], unregistered: Int) {
        guard unregistered > 0 else { return }
        if (count + unregistered) * 3 > (2 << bits) { resize(capacity: count + unregistered) }
        for object in objects { insert(object, for: object.localID) }
    }

    /// - Returns: The object, for the caller to drop.
    @discardableResult
    mutating func remove(_ key: LocalID) -> ManagedObject? {
        var hole = place(of: key)
        guard keys[hole] == key else { return nil }
        let removed = (objects + hole).move()
        count -= 1
        var next = (hole + 1) & mask
        // What lies behind moves up unless it would then lie before its home.
        while keys[next] != 0 {
            if (next - home(of: keys[next])) & mask >= (next - hole) & mask {
                keys[hole] = keys[next]
                (objects + hole).moveInitialize(from: objects + next, count: 1)
                hole = next
            }
            next = (next + 1) & mask
        }
        keys[hole] = 0
        return removed
    }

    /// Gives up the objects that nobody else holds, but those that may not go.
    ///
    /// - Returns: The objects, for the caller to drop: their deinit may run code of the app.
    mutating func removeUnheld(except isKept: (ManagedObject) -> Bool) -> [ManagedObject] {
        var unheld: [LocalID] = []
        for place in 0..<(1 << bits) where keys[place] != 0 {
            if isKept(objects[place]) || !isKnownUniquelyReferenced(&objects[place]) { continue }
            unheld.append(keys[place])
        }
        let removed = unheld.compactMap { remove($0) }
        if count * 8 < 1 << bits { resize(capacity: count) }
        return removed
    }

    private mutating func resize(capacity: Int) {
        var map = IdentityMap(minimumCapacity: capacity)
        for place in 0..<(1 << bits) where keys[place] != 0 {
            let free = map.place(of: keys[place])
            map.keys[free] = keys[place]
            (map.objects + free).moveInitialize(from: objects + place, count: 1)
            keys[place] = 0
        }
        map.count = count
        self = map
    }

    /// In no particular order.
    var values: [ManagedObject] {
        var values: [ManagedObject] = []
        values.reserveCapacity(count)
        forEach { values.append($0) }
        return values
    }

    func forEach(_ body: (ManagedObject) -> Void) {
        for place in 0..<(1 << bits) where keys[place] != 0 { body(objects[place]) }
    }
}
