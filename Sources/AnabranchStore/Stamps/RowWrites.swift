import AnabranchReplication
import AnabranchSQLite

/// Which change set last wrote each property of a row, by its position in this file's log.
///
/// A base, the set that wrote most properties, and the properties that differ. As a blob
/// (`ab_writes`): the base's distance before `ab_version`, then for each property that differs
/// its number, and 0 where it was never written or else 1 + its set's distance before
/// `ab_version`. A row that one set wrote whole has no blob.
struct RowWrites {
    private(set) var version: RowVersion
    private var base: Int64
    /// By property number; `nil` inside: never written.
    private var exceptions: [(property: Int, position: Int64?)] = []

    /// A row that one set wrote.
    init(by position: Int64) {
        version = RowVersion(position)
        base = position
    }

    /// - Parameter blob: `ab_writes`.
    init(
        _ version: RowVersion, _ blob: UnsafeRawBufferPointer?
    ) throws(ChangeSetDecodingError) {
        self.init(by: version.position)
        var reader = ByteReader(blob.map { [UInt8]($0) } ?? [])
        guard version.position > 0 else {
            throw reader.failure(.malformed, "no change set wrote the row")
        }
        guard let blob else { return }
        exceptions.reserveCapacity(blob.count / 2)
        base = try Self.position(&reader, distance: try reader.readVarint(), before: version)
        while !reader.isAtEnd {
            let property = Int(clamping: try reader.readVarint())
            let distance = try reader.readVarint()
            exceptions.append(
                (
                    property,
                    distance == 0
                        ? nil : try Self.position(&reader, distance: distance - 1, before: version)
                ))
        }
    }

    private static func position(
        _ reader: inout ByteReader, distance: UInt64, before version: RowVersion
    ) throws(ChangeSetDecodingError) -> Int64 {
        guard distance < UInt64(version.position) else {
            throw reader.failure(.malformed, "a row was written before the log begins")
        }
        return version.position - Int64(distance)
    }

    /// `nil` where the property was never written.
    subscript(property: Int) -> Int64? {
        for exception in exceptions where exception.property == property {
            return exception.position
        }
        return base
    }

    /// Of the sets that wrote properties, the base always among them: no later than the others of
    /// a record, which it was inserted by, or wrote most of.
    var positions: Set<Int64> { Set(exceptions.compactMap(\.position)).union([base]) }

    /// Takes note that a property was never written.
    mutating func leaveUnwritten(_ property: Int) { replace(property, by: nil) }

    /// - Parameter position: Of the set that is saved or applied now, the last of the log.
    mutating func write(_ property: Int, by position: Int64) throws(ChangeSetDecodingError) {
        guard position >= version.position else {
            throw ByteReader([]).failure(.malformed, "a row was written after the log's last set")
        }
        writeAgain(property, by: position)
    }

    /// - Parameter position: Of any set of the log, where a repair applies it once more.
    mutating func writeAgain(_ property: Int, by position: Int64) {
        advance(to: RowVersion(position))
        replace(property, by: position)
    }

    /// Gives the row a later version; what wrote it stays.
    mutating func advance(to later: RowVersion) {
        if later.position > version.position { version = later }
    }

    private mutating func replace(_ property: Int, by position: Int64?) {
        let place = exceptions.firstIndex { $0.property >= property } ?? exceptions.endIndex
        let isThere = place < exceptions.endIndex && exceptions[place].property == property
        switch (isThere, position == base) {
        case (true, true): exceptions.remove(at: place)
        case (true, false): exceptions[place].position = position
        case (false, true): break
        case (false, false): exceptions.insert((property, position), at: place)
        }
    }

    /// `ab_writes`; `nil` where one set wrote everything.
    var blob: [UInt8]? {
        if exceptions.isEmpty && base == version.position { return nil }
        var writer = ByteWriter(reservingCapacity: 16)
        writer.append(varint: UInt64(version.position - base))
        for (property, position) in exceptions {
            writer.append(varint: UInt64(property))
            writer.append(varint: position.map { UInt64(version.position - $0) + 1 } ?? 0)
        }
        return writer.bytes
    }
}

extension Statement {
    /// Reads two columns: `ab_version`, `ab_writes`.
    func writes(at column: Int) throws -> RowWrites {
        let version = RowVersion(int64(at: column))
        guard !isNull(at: column + 1) else { return try RowWrites(version, nil) }
        return try withBytes(at: column + 1) { try RowWrites(version, $0) }
    }

    /// Binds two parameters: `ab_version`, `ab_writes`.
    func bind(_ writes: RowWrites, at index: Int) throws {
        try bind(writes.version.position, at: index)
        try bind(writes.blob, at: index + 1)
    }

    /// Binds bytes, or NULL.
    func bind(_ bytes: [UInt8]?, at index: Int) throws {
        if let bytes { try bind(bytes, at: index) } else { try bindNull(at: index) }
    }
}
