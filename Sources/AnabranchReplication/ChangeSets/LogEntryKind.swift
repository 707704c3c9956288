/// What an entry of a log is.
///
/// The numbers are part of the format. Reserved: a part of a huge save 1, `void` (a rejected save
/// that keeps its number) 2, `lost` (declared gone, counts as held) 3, the horizon 4.
public struct LogEntryKind: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// One whole save.
    public static let save = LogEntryKind(rawValue: 0)
}
