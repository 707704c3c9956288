/// A run of record identities in their order.
public struct RecordRange: Hashable, Sendable {
    /// The first identity that is in it; `nil` where nothing comes before it.
    public let lower: RecordID?
    /// The first identity behind it; `nil` where nothing comes behind it.
    public let upper: RecordID?

    /// Every identity.
    public static let all = RecordRange(lower: nil, upper: nil)

    public init(lower: RecordID?, upper: RecordID?) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether no identity is in it.
    public var isEmpty: Bool {
        guard let upper else { return false }
        guard let lower else { return upper == Self.first }
        return lower >= upper
    }

    private static let first = RecordID(replica: ReplicaID(high: 0, low: 0), number: 1)

    public func contains(_ record: RecordID) -> Bool {
        (lower.map { $0 <= record } ?? true) && (upper.map { record < $0 } ?? true)
    }

    /// The numbers of a replica's records that are in it; empty where none is.
    public func numbers(of replica: ReplicaID) -> ClosedRange<UInt64>? {
        var first: UInt64 = 1
        var last = Limits.greatestRecordNumber
        if let lower {
            guard lower.replica <= replica else { return nil }
            if lower.replica == replica { first = max(first, lower.number) }
        }
        if let upper {
            guard replica <= upper.replica else { return nil }
            if upper.replica == replica { last = min(last, upper.number &- 1) }
        }
        return first <= last ? first...last : nil
    }
}

/// What a state has in a range, as much of it as one answer tells.
public enum RangeSummary: Hashable, Sendable {
    /// Runs of the range, one behind the other from its beginning on. Where the last ends before
    /// the range does, the rest has to be asked for.
    case parts([Part])
    /// Every record in the range, in ascending order.
    case records([Entry])

    public struct Part: Hashable, Sendable {
        /// Where it ends and the next begins; `nil` where the range ends that has no end.
        public var upper: RecordID?
        public var checksum: StateChecksum

        public init(upper: RecordID?, checksum: StateChecksum) {
            self.upper = upper
            self.checksum = checksum
        }
    }

    public struct Entry: Hashable, Sendable {
        public var record: RecordID
        /// Of the record with its links.
        public var checksum: StateChecksum

        public init(record: RecordID, checksum: StateChecksum) {
            self.record = record
            self.checksum = checksum
        }
    }

    /// Whether this can be an answer about a range: it lies within it, in order, and, where it
    /// parts it, in parts that are smaller.
    public func fits(_ range: RecordRange) -> Bool {
        switch self {
        case .parts(let parts):
            var lower = range.lower
            for (index, part) in parts.enumerated() {
                let isLast = index == parts.count - 1
                let isWithin = part.upper.map { upper in range.upper.map { upper <= $0 } ?? true }
                guard isWithin ?? (isLast && range.upper == nil),
                    !RecordRange(lower: lower, upper: part.upper).isEmpty
                else { return false }
                lower = part.upper
            }
            return !parts.isEmpty && (parts.count > 1 || parts[0].upper != range.upper)
        case .records(let entries):
            return entries.allSatisfy { range.contains($0.record) }
                && zip(entries, entries.dropFirst()).allSatisfy { $0.record < $1.record }
        }
    }

    /// The parts of a range, and what of it is left to ask for.
    public static func ranges(
        of parts: [Part], in range: RecordRange
    ) -> (parts: [RecordRange], rest: RecordRange?) {
        var lower = range.lower
        let ranges = parts.map { part in
            defer { lower = part.upper }
            return RecordRange(lower: lower, upper: part.upper)
        }
        let isWhole = parts.last.map { $0.upper == range.upper } ?? false
        return (ranges, isWhole ? nil : RecordRange(lower: lower, upper: range.upper))
    }
}
