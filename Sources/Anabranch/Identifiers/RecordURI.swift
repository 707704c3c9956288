import AnabranchModel
import AnabranchReplication
import Foundation

/// The URI of a record, `anabranch://<replica>/<entity>/<number>`.
///
/// The entity is named by its wire name, which stays when a version of the model renames it, and is
/// the same on replicas of all versions.
struct RecordURI {
    let record: RecordID
    let wireName: String

    init(_ record: RecordID, of entity: EntityDescription) {
        self.record = record
        wireName = entity.wireName.string
    }

    /// Reads a URI.
    ///
    /// - Returns: `nil` if the URI has another form.
    init?(_ url: URL) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            parts.scheme == "anabranch", let replica = parts.host.flatMap({ ReplicaID($0) })
        else { return nil }
        let path = parts.percentEncodedPath.split(separator: "/", omittingEmptySubsequences: false)
        guard path.count == 3, path[0].isEmpty,
            let name = String(path[1]).removingPercentEncoding, let number = UInt64(path[2]),
            (1...Limits.greatestRecordNumber).contains(number)
        else { return nil }
        record = RecordID(replica: replica, number: number)
        wireName = name
    }

    /// The URI; `nil` if it can't be formed, which no valid wire name causes.
    var url: URL? {
        guard let name = wireName.addingPercentEncoding(withAllowedCharacters: Self.plain) else {
            return nil
        }
        var parts = URLComponents()
        parts.scheme = "anabranch"
        parts.host = record.replica.description
        parts.percentEncodedPath = "/\(name)/\(record.number)"
        return parts.url
    }

    /// A wire name may have any characters, also a slash.
    private static let plain = CharacterSet(charactersIn: "A"..."Z").union(
        CharacterSet(charactersIn: "a"..."z")
    ).union(CharacterSet(charactersIn: "0123456789_-"))
}
