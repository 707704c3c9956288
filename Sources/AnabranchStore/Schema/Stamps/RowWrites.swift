import AnabranchReplication
import AnabranchSQLite

/// The local positions of the change sets that last wrote the properties of a row.
///
/// It consists of a base, which is the change set that wrote most properties, and of the properties
/// that differ. The blob `ab_writes` begins with the distance of the base before `ab_version`. For
/// each property that differs it has the property's number, followed by a distance. The distance is
/// 0 if the property was never written, or else 1 plus that of its change set before `ab_version`.
/// A row that one change set wrote whole has no blob.
struct RowWrites {
    private(set) var version: RowVersion
    private var base: Int64
    /// The differing properties by number; a `nil` position means that the property was never
    /// written.
    private var exceptions: [(property: Int, position: Int64?)] = []

    /// The writes of a row that one change set wrote whole.
    init(by position: Int64) {
        version = RowVersion(position)
        base = position
    }

    /// Decodes the writes of a row.
    ///
    /// - Parameter blob: The column `ab_writes`.
    init(_ version: RowVersion, _ blob: UnsafeRawBufferPointer?) throws(ChangeSetDecodingError) {
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

    /// The position of the change set that last wrote a property; `nil` if it was never written.
    subscript(property: Int) -> Int64? {
        for exception in exceptions where exception.property == property {
            return exception.position
        }
        return base
    }

    /// The positions of all change sets that last wrote a property, including the base.
    ///
    /// The base is no later than the other positions of a record: it is the insert, or the change
    /// set that wrote most properties.
    var positions: Set<Int64> { Set(exceptions.compactMap(\.position)).union([base]) }

    /// Leaves the properties unwritten that are younger than the row, unless the blob says when
    /// they were written.
    fileprivate mutating func leaveUnwritten(_ added: AddedProperties) {
        for property in added.later(than: base) { except(property, at: nil) }
    }

    /// Names a property in the blob if it is not named yet.
    private mutating func except(_ property: Int, at position: Int64?) {
        let place = exceptions.firstIndex { $0.property >= property } ?? exceptions.endIndex
        guard place == exceptions.endIndex || exceptions[place].property != property else { return }
        exceptions.insert((property, position), at: place)
    }

    /// Records that a property was never written.
    mutating func leaveUnwritten(_ property: Int) { replace(property, by: nil) }

    /// Records that a row that is inserted has no values in the columns of dropped properties.
    mutating func leaveUnwritten(_ dropped: [DroppedColumn]) {
        for column in dropped where column.lastWrite(in: self) != nil {
            leaveUnwritten(column.number)
        }
    }

    /// Records a write of a property.
    ///
    /// - Parameter position: The position of the change set that is being saved or applied, which
    ///   is the last of the log.
    mutating func write(_ property: Int, by position: Int64) throws(ChangeSetDecodingError) {
        guard position >= version.position else {
            throw ByteReader([]).failure(
                .malformed,
                "a row was written after the log's last change set")
        }
        writeAgain(property, by: position)
    }

    /// Records a write that a repair applies again.
    ///
    /// - Parameter position: The position of any change set of the log.
    mutating func writeAgain(_ property: Int, by position: Int64) {
        advance(to: RowVersion(position))
        replace(property, by: position)
    }

    /// Gives the row a later version without changing which change sets wrote it.
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

    /// The blob `ab_writes` in a table to which properties were added.
    ///
    /// The blob names each property that is younger than the row, written or not.
    fileprivate func blob(_ added: AddedProperties) -> [UInt8]? {
        guard !added.isEmpty else { return blob }
        var writes = self
        for property in added.later(than: base) { writes.except(property, at: base) }
        return writes.blob
    }

    /// The blob `ab_writes`; `nil` if one change set wrote the whole row.
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
    /// Reads the two columns `ab_version` and `ab_writes`.
    ///
    /// - Parameter added: The properties that were added to the table.
    func writes(at column: Int, _ added: AddedProperties) throws -> RowWrites {
        var writes = try writes(at: column)
        if !added.isEmpty { writes.leaveUnwritten(added) }
        return writes
    }

    private func writes(at column: Int) throws -> RowWrites {
        let version = RowVersion(int64(at: column))
        guard !isNull(at: column + 1) else { return try RowWrites(version, nil) }
        return try withBytes(at: column + 1) { try RowWrites(version, $0) }
    }

    /// Binds the two parameters `ab_version` and `ab_writes`.
    ///
    /// - Parameter added: The properties that were added to the table.
    func bind(_ writes: RowWrites, at index: Int, _ added: AddedProperties) throws {
        try bind(writes.version.position, at: index)
        try bind(writes.blob(added), at: index + 1)
    }

    /// Binds bytes, or NULL for `nil`.
    func bind(_ bytes: [UInt8]?, at index: Int) throws {
        if let bytes { try bind(bytes, at: index) } else { try bindNull(at: index) }
    }
}
