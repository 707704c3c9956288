import AnabranchStore

/// A context's objects by their local IDs.
///
/// It holds its objects strongly, and gives up those that nobody else holds when it is asked to:
/// weak references would cost an allocation per object and, later, time at every use, and objects
/// that take themselves off in their deinit would have to do so on whatever thread drops them
/// last.
///
/// A hash table of ``IdentityPage``s, with open addressing and linear probing. Records get their
/// numbers one after the other, and what was made together is mostly fetched together: then 64
/// objects are found through one place of the table, the table stays in the processor's cache,
/// and a fetch may register each object as it makes it. A table with a place for every object
/// took 8 % of a fetch of 100,000, and four times the memory.
///
/// What nobody holds is mostly what was registered or saved a moment ago: the pages of such
/// objects are listed, and looked at first. All others take turns, ``IdentityMap+Releasing.swift``.
struct IdentityMap: ~Copyable {
    var pages: UnsafeMutablePointer<IdentityPage?>
    private(set) var bits: UInt64
    var pageCount = 0
    var count = 0
    /// The numbers of pages with objects that may have lost their last holder; some are gone.
    var recent: [Int64] = []
    /// Where the next turn through all pages goes on.
    var turn = 0

    init() { self.init(minimumCapacity: 1) }

    /// - Parameter minimumCapacity: In pages.
    private init(minimumCapacity: Int) {
        bits = 3
        while (1 << bits) * 2 / 3 < minimumCapacity { bits += 1 }
        pages = .allocate(capacity: 1 << bits)
        pages.initialize(repeating: nil, count: 1 << bits)
    }

    /// How many places the table has.
    var capacity: Int { 1 << bits }

    deinit {
        for place in 0..<capacity { pages[place]?.free() }
        pages.deallocate()
    }

    var mask: Int { capacity - 1 }

    @inline(__always)
    private func home(of number: Int64) -> Int {
        Int(
            truncatingIfNeeded: (UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) >> (64 - bits)
        )
    }

    /// The place of the page, or the empty one where it would go.
    @inline(__always)
    func place(of number: Int64) -> Int {
        var place = home(of: number)
        while let page = pages[place], page.number != number { place = (place + 1) & mask }
        return place
    }

    @inline(__always)
    private func object(of key: LocalID) -> UnsafeMutablePointer<ManagedObject>? {
        pages[place(of: IdentityPage.number(of: key))]?.place(of: key)
    }

    func hasPage(_ number: Int64) -> Bool { pages[place(of: number)] != nil }

    subscript(key: LocalID) -> ManagedObject? { object(of: key)?.pointee }

    /// The object, unless it could go: then it is as if a weak reference to it had been cleared.
    @inline(__always)
    func held(
        _ key: LocalID, orKept isKept: (ManagedObject) -> Bool
    ) -> ManagedObject? {
        guard let object = object(of: key) else { return nil }
        if isKnownUniquelyReferenced(&object.pointee), !isKept(object.pointee) { return nil }
        return object.pointee
    }

    /// - Returns: The object that the key had before, for the caller to drop.
    @inline(__always) @discardableResult
    mutating func insert(_ object: ManagedObject, for key: LocalID) -> ManagedObject? {
        let number = IdentityPage.number(of: key)
        var place = place(of: number)
        if pages[place]?.isRecent != true { place = markRecent(number, at: place) }
        let earlier = pages[place]?.insert(object, for: key)
        if earlier == nil { count += 1 }
        return earlier
    }

    /// Notes that an object may have lost its last holder.
    @inline(__always)
    mutating func markRecent(_ key: LocalID) {
        let number = IdentityPage.number(of: key)
        if number == recent.last { return }
        let place = place(of: number)
        if pages[place]?.isRecent == false { _ = markRecent(number, at: place) }
    }

    /// - Parameter place: Of the page, or where it would go.
    /// - Returns: The place of the page, which is there then.
    @inline(never)
    private mutating func markRecent(_ number: Int64, at place: Int) -> Int {
        let place = pages[place] == nil ? addPage(number) : place
        pages[place]?.isRecent = true
        recent.append(number)
        return place
    }

    /// - Returns: The place of the page, which was not there.
    private mutating func addPage(_ number: Int64) -> Int {
        if (pageCount + 1) * 3 > (2 << bits) { resize(capacity: pageCount * 2) }
        let place = place(of: number)
        pages[place] = IdentityPage(number: number)
        pageCount += 1
        return place
    }

    /// - Returns: The object, for the caller to drop.
    @discardableResult
    mutating func remove(_ key: LocalID) -> ManagedObject? {
        let place = place(of: IdentityPage.number(of: key))
        guard let removed = pages[place]?.remove(key) else { return nil }
        count -= 1
        if pages[place]?.count == 0 { removePage(at: place) }
        return removed
    }

    mutating func removePage(at place: Int) {
        pages[place]?.free()
        pageCount -= 1
        var hole = place
        var next = (hole + 1) & mask
        // What lies behind moves up unless it would then lie before its home.
        while let page = pages[next] {
            if (next - home(of: page.number)) & mask >= (next - hole) & mask {
                pages[hole] = page
                hole = next
            }
            next = (next + 1) & mask
        }
        pages[hole] = nil
    }

    mutating func resize(capacity: Int) {
        var map = IdentityMap(minimumCapacity: capacity)
        for place in 0..<self.capacity {
            guard let page = pages[place] else { continue }
            map.pages[map.place(of: page.number)] = page
            pages[place] = nil
        }
        swap(&map.pages, &pages)
        swap(&map.bits, &bits)
    }

    /// In no particular order.
    var values: [ManagedObject] {
        var values: [ManagedObject] = []
        values.reserveCapacity(count)
        forEach { values.append($0) }
        return values
    }

    func forEach(_ body: (ManagedObject) -> Void) {
        for place in 0..<capacity { pages[place]?.forEach(body) }
    }
}
