/// What an entry of a log is.
///
/// The numbers are part of the format. Reserved: the horizon 4. What is
/// new gets its number here, its form in `LogEntryKind+Form`, and its meaning where entries are
/// taken in: `PushIntake` in a zone, `ApplyOperation` in a store.
public struct LogEntryKind: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// One whole save.
    public static let save = LogEntryKind(rawValue: 0)
    /// One whole save, too large for one payload: its payload is a ``PartList``.
    public static let saveInParts = LogEntryKind(rawValue: 1)
    /// A save that was rejected for good. It keeps its dot, time and origin and changes nothing;
    /// its payload is a ``Rejection``.
    public static let void = LogEntryKind(rawValue: 2)
    /// Stands for a save that nobody could supply. It counts as held and changes nothing.
    public static let lost = LogEntryKind(rawValue: 3)

    /// Whether it says what a replica saved.
    public var isSave: Bool { self == .save || self == .saveInParts }
}

extension LogEntryKind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .save: "save"
        case .saveInParts: "save in parts"
        case .void: "void"
        case .lost: "lost"
        default: "\(rawValue)"
        }
    }
}
