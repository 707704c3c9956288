/// The kind of an entry of a log.
///
/// The numbers are part of the format; 4 is reserved for the horizon. A new kind gets its number
/// here and its form in `LogEntryKind+Form`. Its effect belongs to `PushProcessor` in a zone and to
/// `ApplyOperation` in a store.
package struct LogEntryKind: RawRepresentable, Hashable, Sendable {
    /// The number of the kind in the format.
    package let rawValue: UInt8
    /// Creates a kind from its number, which may be unknown to this version.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// One whole save.
    package static let save = LogEntryKind(rawValue: 0)
    /// One whole save that is too large for one payload. Its payload is a ``PartList``.
    package static let saveInParts = LogEntryKind(rawValue: 1)
    /// A void: the entry for a rejected save. It keeps dot, time and origin of the save and changes
    /// nothing; its payload is a ``SaveRejection``.
    package static let void = LogEntryKind(rawValue: 2)
    /// The entry for a change set declared lost. It counts as held and changes nothing.
    package static let lost = LogEntryKind(rawValue: 3)

    /// Indicates whether the entry contains the changes of a save.
    package var isSave: Bool { self == .save || self == .saveInParts }
}

extension LogEntryKind: CustomStringConvertible {
    /// The name of the kind, or its number if it is unknown.
    package var description: String {
        switch self {
        case .save: "save"
        case .saveInParts: "save in parts"
        case .void: "void"
        case .lost: "lost"
        default: "\(rawValue)"
        }
    }
}
