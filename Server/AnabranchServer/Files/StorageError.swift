/// An error in reading or writing zones and tokens.
///
/// `StorageError+Zone.swift` adds the codes of a zone.
package struct StorageError: Error, Hashable, Sendable {
    package struct Code: Hashable, Sendable {
        package let rawValue: String

        /// The directory cannot be created: correct its permissions, or use another directory.
        package static let unusable = Code(rawValue: "unusable")
        /// The file has a later format: update the server.
        package static let newerFormat = Code(rawValue: "newer-format")
        /// The file has a format that no released server wrote: begin with a new file.
        package static let olderFormat = Code(rawValue: "older-format")
        /// The file is damaged, or another program wrote it: restore it from a backup.
        package static let damaged = Code(rawValue: "damaged")
        /// Another daemon serves the directory: stop it first.
        package static let inUse = Code(rawValue: "in-use")
        /// The zones were moved to another store: serve that one.
        package static let moved = Code(rawValue: "moved")
        /// The disk is full: make room.
        package static let full = Code(rawValue: "full")
        /// Others use the storage at the moment: try again.
        package static let busy = Code(rawValue: "busy")
        /// The database can't be reached, or descriptors or memory have run out: try again later.
        /// It may have kept the last transaction.
        package static let unavailable = Code(rawValue: "unavailable")
        /// The storage has failed otherwise; the message says how.
        package static let failed = Code(rawValue: "failed")
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

extension StorageError: CustomStringConvertible {
    package var description: String { "\(message) (\(code.rawValue))" }
}
