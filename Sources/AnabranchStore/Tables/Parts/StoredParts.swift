import AnabranchReplication
import AnabranchSQLite

/// The parts that a store keeps, read on demand.
struct StoredParts: PartReading, Sendable {
    private let store: Store

    init(_ store: Store) { self.store = store }

    func bytes(of part: SavePart) throws -> [UInt8] {
        try store.read { try PartTable($0.connection).bytes(of: part) }
    }
}
