/// An error in reading or writing a zone's rows.
package struct ZoneStorageError: Error, Hashable, Sendable {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// There is no such zone: create a token for it.
        package static let noSuchZone = Code(rawValue: "no-such-zone")
        /// The directory cannot be created: correct its permissions, or use another directory.
        package static let unusable = Code(rawValue: "unusable")
        /// A change set inserts a record that the zone holds: the change set is malformed.
        package static let recordHeld = Code(rawValue: "record-held")
        /// A change set makes a record larger than the limit: its author must save smaller values.
        package static let recordTooLarge = Code(rawValue: "record-too-large")
        /// The zone has as many replicas as row keys can distinguish: create a new zone.
        package static let tooManyReplicas = Code(rawValue: "too-many-replicas")
        /// The file has a later format: update the server.
        package static let newerFormat = Code(rawValue: "newer-format")
        /// The file has a format that no released server wrote: create the zone again.
        package static let olderFormat = Code(rawValue: "older-format")
        /// The file is damaged or is not a zone's file: restore it from a backup.
        package static let damaged = Code(rawValue: "damaged")
        /// Another daemon serves the directory: stop it first.
        package static let inUse = Code(rawValue: "in-use")
        /// Another process has removed a snapshot that was being written: ask for it again.
        package static let snapshotRemoved = Code(rawValue: "snapshot-removed")
        /// The storage was closed: the server is stopping.
        package static let closed = Code(rawValue: "closed")
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ZoneStorageError: CustomStringConvertible {
    package var description: String { "\(message) (\(code.rawValue))" }
}
