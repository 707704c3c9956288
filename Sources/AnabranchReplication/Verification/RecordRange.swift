/// A range of record identities in their order.
package struct RecordRange: Hashable, Sendable {
    /// The first identity in the range, or `nil` if the range has no beginning.
    package let lower: RecordID?
    /// The first identity after the range, or `nil` if the range has no end.
    package let upper: RecordID?

    package static let all = RecordRange(lower: nil, upper: nil)

    package init(lower: RecordID?, upper: RecordID?) {
        self.lower = lower
        self.upper = upper
    }

    /// Indicates whether the range contains no identity.
    package var isEmpty: Bool {
        guard let upper else { return false }
        guard let lower else { return upper == Self.first }
        return lower >= upper
    }

    private static let first = RecordID(replica: ReplicaID(high: 0, low: 0), number: 1)

    /// Indicates whether the range contains an identity.
    package func contains(_ record: RecordID) -> Bool {
        (lower.map { $0 <= record } ?? true) && (upper.map { record < $0 } ?? true)
    }

    /// The numbers of a replica's records that are in the range, or `nil` if none is.
    package func numbers(of replica: ReplicaID) -> ClosedRange<UInt64>? {
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

/// The summary of a state's records in a range, as far as one answer reaches.
package enum RangeSummary: Hashable, Sendable {
    /// Consecutive parts of the range, from its beginning on. If the last part ends before the
    /// range, ask for the rest as a range of its own.
    case parts([Part])
    /// Every record in the range, in ascending order.
    case records([Entry])

    /// One part of a range with its checksum.
    package struct Part: Hashable, Sendable {
        /// The first identity after the part, or `nil` for the last part of a range without an
        /// end.
        package var upper: RecordID?
        /// The checksum of the records in the part, links included.
        package var checksum: StateChecksum

        package init(upper: RecordID?, checksum: StateChecksum) {
            self.upper = upper
            self.checksum = checksum
        }
    }

    /// One record with its checksum.
    package struct Entry: Hashable, Sendable {
        package var record: RecordID
        /// The checksum of the record and its links.
        package var checksum: StateChecksum

        package init(record: RecordID, checksum: StateChecksum) {
            self.record = record
            self.checksum = checksum
        }
    }

    /// Indicates whether the summary is a possible answer about a range.
    ///
    /// Its contents must be in the range and in order, and its parts must be smaller than the
    /// range.
    package func fits(_ range: RecordRange) -> Bool {
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

    /// Converts parts into ranges.
    ///
    /// - Returns: The range of each part, and the rest of the range that no part covers, or `nil`
    ///   if there is none.
    package static func ranges(
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
