/// A position in the history of one store file: everything up to one entry of its log.
public struct HistoryPosition: Hashable, Sendable, Codable {
    /// The number of the position, for storing it.
    public let rawValue: Int64

    /// Creates a position from a stored number.
    ///
    /// - Parameter rawValue: The `rawValue` of a position in the same file.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The position before the first transaction.
    public static let start = HistoryPosition(rawValue: 0)
}

extension HistoryPosition: Comparable {
    /// Returns true if the left position is earlier in the history.
    public static func < (left: HistoryPosition, right: HistoryPosition) -> Bool {
        left.rawValue < right.rawValue
    }
}
