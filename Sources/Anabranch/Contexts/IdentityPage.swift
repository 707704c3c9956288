import AnabranchStore

/// The objects of 64 IDs that follow one another, as far as there are any.
///
/// The objects stand side by side in the order of their IDs, and a bit for each ID says whether
/// it has one: a full page takes little more than a reference for an object, and one with a
/// single object no more than four. The map that has the page owns its memory and calls
/// ``free()``; a copy of a page is no second owner.
struct IdentityPage {
    /// What its IDs have in common.
    let number: Int64
    /// Bit n is set where ID `number` · 64 + n has an object.
    private(set) var occupied: UInt64 = 0
    /// How many bits are set, kept because counting them is slow where every insertion does.
    private var objectCount: Int32 = 0
    /// Whether the map has it on its list of pages to look at soon.
    var isRecent = false
    private var objects: UnsafeMutablePointer<ManagedObject>

    private(set) var count: Int {
        @inline(__always) get { Int(objectCount) }
        @inline(__always) set { objectCount = Int32(truncatingIfNeeded: newValue) }
    }

    init(number: Int64) {
        self.number = number
        objects = .allocate(capacity: Self.capacity(for: 1))
    }

    /// Drops the objects; the page is not used any more.
    func free() {
        objects.deinitialize(count: count)
        objects.deallocate()
    }

    @inline(__always)
    static func number(of key: LocalID) -> Int64 { key >> 6 }

    @inline(__always)
    private static func bit(of key: LocalID) -> UInt64 { 1 << UInt64(key & 63) }

    /// How many objects have smaller IDs.
    @inline(__always)
    private func index(of bit: UInt64) -> Int {
        occupied < bit ? count : (occupied & (bit - 1)).nonzeroBitCount
    }

    /// There is room for 4, 16 or 64 objects.
    @inline(__always)
    private static func capacity(for count: Int) -> Int { count <= 4 ? 4 : count <= 16 ? 16 : 64 }

    /// Where the object of an ID stands until the page changes; `nil` where there is none.
    @inline(__always)
    func place(of key: LocalID) -> UnsafeMutablePointer<ManagedObject>? {
        let bit = Self.bit(of: key)
        return occupied & bit == 0 ? nil : objects + index(of: bit)
    }

    /// - Returns: The object that the ID had before.
    @inline(__always)
    mutating func insert(_ object: ManagedObject, for key: LocalID) -> ManagedObject? {
        let bit = Self.bit(of: key)
        let place = index(of: bit)
        guard occupied & bit == 0 else {
            let earlier = objects[place]
            objects[place] = object
            return earlier
        }
        if count == Self.capacity(for: count) { move(toCapacityFor: count + 1) }
        if place < count {
            (objects + place + 1).moveInitialize(from: objects + place, count: count - place)
        }
        (objects + place).initialize(to: object)
        occupied |= bit
        count += 1
        return nil
    }

    mutating func remove(_ key: LocalID) -> ManagedObject? {
        guard let place = place(of: key) else { return nil }
        let before = count
        let removed = place.move()
        place.moveInitialize(from: place + 1, count: objects + before - (place + 1))
        occupied ^= Self.bit(of: key)
        count -= 1
        shrink(from: before)
        return removed
    }

    /// Moves objects that may go to the end of a list.
    mutating func removeAll(
        where mayGo: (inout ManagedObject) -> Bool, into removed: inout [ManagedObject]
    ) {
        let before = count
        var unseen = occupied
        var kept = objects
        for object in objects..<(objects + before) {
            let bit = unseen & (~unseen + 1)
            unseen ^= bit
            if mayGo(&object.pointee) {
                removed.append(object.move())
                occupied ^= bit
                count -= 1
            } else {
                if kept != object { kept.moveInitialize(from: object, count: 1) }
                kept += 1
            }
        }
        shrink(from: before)
    }

    private mutating func shrink(from before: Int) {
        if Self.capacity(for: count) < Self.capacity(for: before) { move(toCapacityFor: count) }
    }

    private mutating func move(toCapacityFor futureCount: Int) {
        let other = UnsafeMutablePointer<ManagedObject>.allocate(
            capacity: Self.capacity(for: futureCount))
        other.moveInitialize(from: objects, count: count)
        objects.deallocate()
        objects = other
    }

    @inline(__always)
    func forEach(_ body: (ManagedObject) -> Void) {
        for index in 0..<count { body(objects[index]) }
    }
}
