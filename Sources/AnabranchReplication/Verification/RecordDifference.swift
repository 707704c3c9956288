/// A record that differs between two states.
public struct RecordDifference: Hashable, Sendable {
    /// The kind of the difference, as seen from one side.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Kind: String, Hashable, Sendable {
        /// Only the other side has the record.
        case missing
        /// Only this side has the record.
        case extra
        /// Cells, links, stamps or the entity differ, or can't be read.
        case changed
    }

    /// The identity of the record.
    public var record: RecordID
    /// The kind of the difference.
    public var kind: Kind

    package init(record: RecordID, kind: Kind) {
        self.record = record
        self.kind = kind
    }
}

extension RecordDifference {
    /// Compares the records of two states in one range.
    ///
    /// - Parameters:
    ///   - own: All records of this side in the range.
    ///   - others: All records of the other side in the range.
    /// - Returns: The differences, ordered by identity.
    package static func between(
        _ own: [RangeSummary.Entry], _ others: [RangeSummary.Entry]
    ) -> [RecordDifference] {
        let held = sums(own)
        let wanted = sums(others)
        return Set(held.keys).union(wanted.keys).sorted().compactMap { record in
            switch (held[record], wanted[record]) {
            case (nil, _): RecordDifference(record: record, kind: .missing)
            case (_, nil): RecordDifference(record: record, kind: .extra)
            case (let one, let other):
                one == other ? nil : RecordDifference(record: record, kind: .changed)
            }
        }
    }

    /// The checksum of each record. A damaged file may have a record twice; its checksums are
    /// added.
    private static func sums(_ entries: [RangeSummary.Entry]) -> [RecordID: StateChecksum] {
        Dictionary(entries.map { ($0.record, $0.checksum) }) { $0 &+ $1 }
    }
}
