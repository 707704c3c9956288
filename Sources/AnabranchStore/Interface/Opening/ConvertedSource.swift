package import AnabranchReplication
import AnabranchSQLite
package import Foundation

/// The names that a store's records had in the file from which they were converted.
///
/// A record is named by the source's UUID, the table of its entity and its primary key alone, so
/// every conversion of a source gives it the same identity. The numbers of the tables alternate:
/// with three tables, the records of the first have the numbers 1, 4, 7 and so on.
package struct ConvertedSource: Codable, Sendable, Hashable {
    /// An entity of the source.
    package struct Entity: Codable, Sendable, Hashable {
        /// The position of the entity's table among all.
        package var table: Int
        /// The wire name, which the entity keeps in later versions of the model.
        package var wireName: String

        package init(table: Int, wireName: String) {
            self.table = table
            self.wireName = wireName
        }
    }

    /// The UUID of the source, as its URIs spell it.
    package var uuid: String
    package var tableCount: Int
    /// The entities by their names in the source.
    package var entities: [String: Entity]
    /// The origin of the conversion's last change set: equal for conversions with the same result.
    package var origin: [UInt8] = []
    /// The greatest time that was taken for one, in milliseconds since 1970-01-01 UTC; `nil` if
    /// the source has no greater one.
    package var latestTime: Int64?

    package init(uuid: String, tableCount: Int, entities: [String: Entity]) {
        self.uuid = uuid
        self.tableCount = tableCount
        self.entities = entities
    }

    /// The replica that all conversions of the source save under.
    package var replica: ReplicaID { Self.replica(of: uuid) }

    private static func replica(of uuid: String) -> ReplicaID {
        let digest = Digest(of: Array("anabranch.converted-source\0\(uuid)".utf8)).bytes
        return ReplicaID(bytes: digest.prefix(ReplicaID.byteCount))
            ?? ReplicaID(high: 0, low: 1)
    }

    /// The number of the record with a primary key; `nil` for a key that cannot be one.
    package func number(ofKey key: Int64, inTable table: Int) -> UInt64? {
        guard key > 0, table < tableCount else { return nil }
        let (product, isTooLarge) = UInt64(key - 1).multipliedReportingOverflow(
            by: UInt64(tableCount))
        guard !isTooLarge, product <= Limits.greatestRecordNumber - UInt64(tableCount) else {
            return nil
        }
        return product + UInt64(table) + 1
    }

    /// The record and the wire name of its entity that `x-coredata://UUID/Entity/p7` names.
    package func record(of uri: URL) -> (RecordID, WireName)? {
        let parts = uri.pathComponents
        guard uri.scheme?.lowercased() == "x-coredata", parts.count == 3, parts[2].hasPrefix("p"),
            uri.host?.lowercased() == uuid.lowercased(), let entity = entities[parts[1]],
            let key = Int64(parts[2].dropFirst()),
            let number = number(ofKey: key, inTable: entity.table)
        else { return nil }
        return (RecordID(replica: replica, number: number), WireName(entity.wireName))
    }
}

extension Store {
    private static let sourceKey = "converted-source"

    /// The source from which the store was converted; `nil` if it was not.
    package func convertedSource() throws -> ConvertedSource? {
        guard let bytes = try metadata(Self.sourceKey) else { return nil }
        return try? JSONDecoder().decode(ConvertedSource.self, from: Data(bytes))
    }

    /// The origin of a replica's last change set that the store holds; empty without one.
    package func lastOrigin(of replica: ReplicaID) throws -> [UInt8] {
        try read { reader in
            let value = try reader.connection.firstValue(
                "SELECT origin FROM ab_head WHERE id = ?", .blob(replica.bytes))
            guard case .blob(let bytes)? = value else { return [] }
            return bytes
        }
    }

    /// Records the source from which the store was converted.
    package func setConvertedSource(_ source: ConvertedSource) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try setMetadata(Self.sourceKey, [UInt8](encoder.encode(source)))
    }
}
