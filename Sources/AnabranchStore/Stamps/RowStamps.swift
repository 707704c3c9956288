import AnabranchReplication

/// When and by whom each property of a row was last written.
///
/// A base, the write of most properties, and the properties that differ. As a blob
/// (`ab_stamps`): the base's distance before `ab_stamp`, the base's replica ordinal, then for
/// each property that differs its number, 0 where it was never written or else 1 + its distance
/// before `ab_stamp`, and its ordinal. A row that one save wrote whole has no blob.
struct RowStamps {
    /// A stamp with its replica's ordinal in place of its ID.
    struct LocalStamp: Hashable {
        var timestamp: UInt64
        var ordinal: Int64
    }

    private(set) var last: LocalStamp
    private var base: LocalStamp
    /// By property number; `nil` inside: never written.
    private var exceptions: [(property: Int, stamp: LocalStamp?)] = []

    /// A row that one save wrote.
    init(writtenBy stamp: LocalStamp) {
        last = stamp
        base = stamp
    }

    init(_ version: RowVersion) throws(ChangeSetDecodingError) {
        last = LocalStamp(timestamp: UInt64(bitPattern: version.stamp), ordinal: version.by)
        base = last
        var reader = ByteReader(version.stamps ?? [])
        guard version.stamp >= 0, version.by >= 0 else {
            throw reader.failure(.malformed, "a row's last write has no time or no replica")
        }
        guard version.stamps != nil else { return }
        base = try Self.readStamp(&reader, distance: try reader.readVarint(), before: last)
        while !reader.isAtEnd {
            let property = Int(clamping: try reader.readVarint())
            let distance = try reader.readVarint()
            exceptions.append(
                (
                    property,
                    distance == 0
                        ? nil : try Self.readStamp(&reader, distance: distance - 1, before: last)
                ))
        }
    }

    private static func readStamp(
        _ reader: inout ByteReader, distance: UInt64, before last: LocalStamp
    ) throws(ChangeSetDecodingError) -> LocalStamp {
        guard distance <= last.timestamp else {
            throw reader.failure(.malformed, "a stamp lies before all time")
        }
        return LocalStamp(
            timestamp: last.timestamp - distance,
            ordinal: Int64(clamping: try reader.readVarint()))
    }

    /// `nil` where the property was never written.
    subscript(property: Int) -> LocalStamp? {
        for exception in exceptions where exception.property == property {
            return exception.stamp
        }
        return base
    }

    /// Takes note that a property was never written.
    mutating func leaveUnwritten(_ property: Int) { replace(property, by: nil) }

    /// - Parameter isLast: Whether the write is later than all before it. One that is not is no
    ///   later than ``last`` in time.
    mutating func write(_ property: Int, at stamp: LocalStamp, isLast: Bool) {
        if isLast { last = stamp }
        replace(property, by: stamp)
    }

    private mutating func replace(_ property: Int, by stamp: LocalStamp?) {
        let place = exceptions.firstIndex { $0.property >= property } ?? exceptions.endIndex
        let isThere = place < exceptions.endIndex && exceptions[place].property == property
        switch (isThere, stamp == base) {
        case (true, true): exceptions.remove(at: place)
        case (true, false): exceptions[place].stamp = stamp
        case (false, true): break
        case (false, false): exceptions.insert((property, stamp), at: place)
        }
    }

    var version: RowVersion {
        RowVersion(stamp: Int64(bitPattern: last.timestamp), by: last.ordinal, stamps: blob)
    }

    private var blob: [UInt8]? {
        if exceptions.isEmpty && base == last { return nil }
        var writer = ByteWriter(reservingCapacity: 24)
        writer.append(varint: last.timestamp - base.timestamp)
        writer.append(varint: UInt64(base.ordinal))
        for (property, stamp) in exceptions {
            writer.append(varint: UInt64(property))
            if let stamp {
                writer.append(varint: last.timestamp - stamp.timestamp + 1)
                writer.append(varint: UInt64(stamp.ordinal))
            } else {
                writer.append(varint: 0)
            }
        }
        return writer.bytes
    }
}
