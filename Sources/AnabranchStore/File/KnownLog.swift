import AnabranchReplication
import Foundation

/// The knowledge that write transactions have of the log without reading it.
///
/// One transaction hands it on to the next. It is valid as long as the log changes by these
/// transactions alone, and until one of them is rolled back. Parts of a transaction are never
/// rolled back.
final class KnownLog {
    /// The last position that was given to an entry, or that no entry gets any more.
    private(set) var lastPosition: Int64
    /// A position up to which the zone holds all entries (``ChangeLog/isUnplaced``).
    private(set) var placed: Int64
    /// True if the zone is not known to hold some entry; `nil` if that has to be looked up.
    private(set) var hasUnplaced: Bool?
    /// A position of the zone's log after which this log holds nothing; `nil` if none is known.
    private(set) var greatestPlace: UInt64?
    /// The shared tables (``SharedTables``) that are known with their numbers.
    private var tables: [(bytes: [UInt8], number: Int64)] = []
    /// The last change sets that are held of some replicas, by the ordinals of these.
    private(set) var heads: [Int64: Head] = [:]

    /// The entry that was appended last; `nil` if an entry was removed or got another form since.
    private var lastEntry: (ordinal: Int64, sequence: UInt64, origin: Digest)?

    /// The last change set that is held of a replica.
    typealias Head = (sequence: UInt64, origin: Digest)

    /// The entries of the log at which renamed histories left others, by the ordinals of these
    /// histories, as far as they were looked up; `nil` where the log does not have the entry.
    private var branchPoints: [Int64: BranchPoint?] = [:]

    /// An entry of the log.
    typealias BranchPoint = (ordinal: Int64, sequence: UInt64)

    /// The greatest number of tables and of heads. Tables are short, an app has few kinds of saves,
    /// and a zone has few replicas that save at the same time.
    private static let greatestCount = 64

    init(_ state: StoreState) {
        lastPosition = state.lastPosition
        placed = state.placed
        if placed >= lastPosition { hasUnplaced = false }
    }

    /// Takes the positions up to this one, which have no entries that the zone lacks.
    func takePositions(through position: Int64) {
        if placed >= lastPosition { placed = max(placed, position) }
        lastPosition = max(lastPosition, position)
    }

    /// True if it is known that the entry before a change set in the history of its replica has
    /// the change set's previous origin.
    func hasPredecessor(of set: ChangeSet, ordinal: Int64) -> Bool {
        guard let lastEntry else { return false }
        return lastEntry.ordinal == ordinal && lastEntry.sequence + 1 == set.dot.sequence
            && lastEntry.origin == set.previousOrigin
    }

    /// Forgets the last entry, because an entry is removed or gets another form.
    func forgetLastEntry() { lastEntry = nil }

    /// Takes a new entry.
    ///
    /// - Parameter place: The entry's position in the zone's log; `nil` if it is not known.
    func append(_ set: ChangeSet, ordinal: Int64, at position: Int64, place: UInt64?) {
        lastEntry = (ordinal, set.dot.sequence, set.origin)
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

    /// The shared tables with which a payload begins; `nil` if none of them are known.
    ///
    /// The bytes of tables say where they end, so they never begin those of other tables.
    func tables(of payload: [UInt8]) -> (number: Int64, byteCount: Int)? {
        for known in tables where payload.begins(with: known.bytes) {
            return (known.number, known.bytes.count)
        }
        return nil
    }

    /// Takes shared tables that are not known.
    func add(_ number: Int64, ofTables bytes: [UInt8]) {
        if tables.count >= Self.greatestCount { tables = [] }
        tables.append((bytes, number))
    }

    func setHead(_ head: Head, of ordinal: Int64) {
        if heads.count >= Self.greatestCount, heads[ordinal] == nil { heads = [:] }
        heads[ordinal] = head
    }

    func removeHeads() { heads = [:] }

    /// The entry that precedes a replica's first one in the history that it left; `nil` if the log
    /// does not have it.
    ///
    /// - Parameter find: Looks it up. The result is kept.
    func branchPoint(
        of ordinal: Int64, _ find: () throws -> BranchPoint?
    ) rethrows -> BranchPoint? {
        if let point = branchPoints[ordinal] { return point }
        let point = try find()
        branchPoints[ordinal] = .some(point)
        return point
    }

    /// Forgets where histories left others, because an entry of the log was renamed.
    func forgetBranchPoints() { if !branchPoints.isEmpty { branchPoints = [:] } }
}

extension [UInt8] {
    fileprivate func begins(with other: [UInt8]) -> Bool {
        let byteCount = other.count
        guard count >= byteCount else { return false }
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { other in
                guard let bytes = bytes.baseAddress, let other = other.baseAddress else {
                    return true
                }
                return memcmp(bytes, other, byteCount) == 0
            }
        }
    }
}
