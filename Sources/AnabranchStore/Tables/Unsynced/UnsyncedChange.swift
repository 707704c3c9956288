package import AnabranchModel
import AnabranchReplication

/// Records of one entity that a save has changed in the same way, for the history of entities that
/// are kept in this store only. It has no values.
package struct UnsyncedChange: Sendable {
    package enum Kind: UInt8, Sendable {
        case insert = 1
        case update, delete
    }

    package let kind: Kind
    package let entity: EntityDescription
    /// The names of the changed properties; none unless the records were updated. A relationship is
    /// named on the side that is stored.
    package let properties: [String]
    package let ids: [LocalID]
}

extension UnsyncedChange {
    func append(to writer: inout ByteWriter, in schema: StoreSchema) {
        writer.append(byte: kind.rawValue)
        writer.append(signed: schema.layout(of: entity).number)
        writer.append(count: properties.count)
        for property in properties { writer.append(string: property) }
        writer.append(count: ids.count)
        var last: LocalID = 0
        for id in ids {
            writer.append(signed: id &- last)
            last = id
        }
    }

    /// Reads a change.
    ///
    /// - Returns: `nil` if the model no longer has the entity. The reader is then behind the change
    ///   all the same.
    static func read(
        _ reader: inout ByteReader, in schema: StoreSchema
    ) throws(ChangeSetDecodingError) -> UnsyncedChange? {
        guard let kind = Kind(rawValue: try reader.readByte()) else {
            throw reader.failure(.malformed, "there is no such kind of change")
        }
        let entity = schema.entity(numbered: try reader.readSigned())
        var properties: [String] = []
        for _ in 0..<(try reader.readQuantity()) { properties.append(try reader.readString()) }
        var ids: [LocalID] = []
        var last: LocalID = 0
        for _ in 0..<(try reader.readQuantity()) {
            last &+= try reader.readSigned()
            ids.append(last)
        }
        return entity.map {
            UnsyncedChange(kind: kind, entity: $0, properties: properties, ids: ids)
        }
    }
}
