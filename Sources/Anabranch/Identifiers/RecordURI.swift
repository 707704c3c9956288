import AnabranchModel
import AnabranchReplication
import AnabranchStore
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

    var url: URL {
        Self.url(of: wireName, host: record.replica.description, number: "\(record.number)")
    }

    /// The URI for a record of a replica that has no known name. It names no record.
    static func unnamed(_ id: LocalID, of entity: EntityDescription) -> URL {
        url(of: entity.wireName.string, host: "", number: "\(id.ordinal):\(id.number)")
    }

    private static func url(of wireName: String, host: String, number: String) -> URL {
        var parts = URLComponents()
        parts.scheme = "anabranch"
        parts.host = host
        guard let name = wireName.addingPercentEncoding(withAllowedCharacters: plain) else {
            preconditionFailure("The wire name \(wireName) has no percent encoding.")
        }
        parts.percentEncodedPath = "/\(name)/\(number)"
        guard let url = parts.url else {
            preconditionFailure("The URI of \(wireName) \(number) could not be formed.")
        }
        return url
    }

    /// A wire name may have any characters, also a slash.
    private static let plain = CharacterSet(charactersIn: "A"..."Z").union(
        CharacterSet(charactersIn: "a"..."z")
    ).union(CharacterSet(charactersIn: "0123456789_-"))
}
