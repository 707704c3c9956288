import AnabranchReplication

/// The knowledge that a write transaction has of the log without reading it.
///
/// It is valid as long as the log changes by the transaction alone, and until the transaction is
/// rolled back. Parts of a transaction are never rolled back.
final class KnownLog {
    /// The last position that was given to an entry, or that no entry gets any more.
    private(set) var lastPosition: Int64
    /// A position up to which the zone holds all entries (``ChangeLog/isUnplaced``).
    private(set) var placed: Int64
    /// True if the zone is not known to hold some entry; `nil` if that has to be looked up.
    private(set) var hasUnplaced: Bool?
    /// A position of the zone's log after which this log holds nothing; `nil` if none is known.
    private(set) var greatestPlace: UInt64?
    /// The numbers of shared tables (``SharedTables``) by their bytes.
    private(set) var numbers: [[UInt8]: Int64] = [:]
    /// The last change sets that are held of some replicas, by the ordinals of these.
    private(set) var heads: [Int64: Head] = [:]

    /// The last change set that is held of a replica.
    typealias Head = (sequence: UInt64, origin: Digest)

    /// The greatest number of tables and of heads. Tables are short, an app has few kinds of saves,
    /// and a zone has few replicas that save at the same time.
    private static let greatestCount = 64

    init(_ state: StoreState) {
        lastPosition = state.lastPosition
        placed = state.placed
        if placed >= lastPosition { hasUnplaced = false }
    }

    /// Creates the knowledge of the transaction after another one.
    init(after other: KnownLog) {
        lastPosition = other.lastPosition
        placed = other.placed
        hasUnplaced = other.hasUnplaced
        greatestPlace = other.greatestPlace
        numbers = other.numbers
        heads = other.heads
    }

    /// Takes the positions up to this one, which have no entries that the zone lacks.
    func takePositions(through position: Int64) {
        if placed >= lastPosition { placed = max(placed, position) }
        lastPosition = max(lastPosition, position)
    }

    /// Takes the position of a new entry.
    ///
    /// - Parameter place: The entry's position in the zone's log; `nil` if it is not known.
    func append(at position: Int64, place: UInt64?) {
        if let place {
            takePositions(through: position)
            return self.place(place)
        }
        lastPosition = max(lastPosition, position)
        // Positions after it may have been taken before it.
        placed = min(placed, position - 1)
        hasUnplaced = true
    }

    /// Takes the place that an entry gets in the zone's log.
    func place(_ place: UInt64) {
        greatestPlace = greatestPlace.map { max($0, place) }
        forgetUnplaced()
    }

    /// Takes that an entry was removed, or got its place.
    func forgetUnplaced() { if hasUnplaced == true { hasUnplaced = nil } }

    /// Moves the mark before an entry that has lost its place.
    func lowerPlaced(below position: Int64) {
        placed = min(placed, position - 1)
        hasUnplaced = nil
    }

    /// Takes the first entry that the zone is not known to hold; `nil` if there is none.
    func setFirstUnplaced(_ position: Int64?) {
        hasUnplaced = position != nil
        placed = max(placed, position.map { $0 - 1 } ?? lastPosition)
    }

    /// Takes that this log holds nothing after a position of the zone's log.
    func setGreatestPlace(_ place: UInt64) { greatestPlace = place }

    func add(_ number: Int64, ofTables bytes: [UInt8]) {
        guard numbers[bytes] == nil else { return }
        if numbers.count >= Self.greatestCount { numbers = [:] }
        numbers[bytes] = number
    }

    func setHead(_ head: Head, of ordinal: Int64) {
        if heads.count >= Self.greatestCount, heads[ordinal] == nil { heads = [:] }
        heads[ordinal] = head
    }

    func removeHeads() { heads = [:] }
}
