/// Why a zone's rows could not be read or written.
package struct ZoneStorageError: Error, Hashable, Sendable {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// There is no such zone: create a token for it.
        package static let noSuchZone = Code(rawValue: "no-such-zone")
        /// The directory can't be made: correct its rights, or take another.
        package static let unusable = Code(rawValue: "unusable")
        /// A record that is held was inserted again: the change set is malformed.
        package static let recordHeld = Code(rawValue: "record-held")
        /// A change set makes a record larger than one may be: its author saves a smaller value.
        package static let recordTooLarge = Code(rawValue: "record-too-large")
        /// The zone has as many replicas as a row key can tell apart: begin a new zone.
        package static let tooManyReplicas = Code(rawValue: "too-many-replicas")
        /// The file is of a later format: update the server.
        package static let newerFormat = Code(rawValue: "newer-format")
        /// The file is of a format that no released server wrote: begin the zone anew.
        package static let olderFormat = Code(rawValue: "older-format")
        /// The file is something else, or damaged: restore it from a backup.
        package static let damaged = Code(rawValue: "damaged")
        /// Another daemon serves the directory: stop it first.
        package static let inUse = Code(rawValue: "in-use")
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
