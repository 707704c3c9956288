/// A record of which two states have not the same.
public struct RecordDifference: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        /// This side does not have it.
        case missing
        /// Only this side has it.
        case extra
        /// Cells, links, stamps or the entity differ, or can't be read.
        case changed
    }

    public var record: RecordID
    public var kind: Kind

    public init(record: RecordID, kind: Kind) {
        self.record = record
        self.kind = kind
    }
}

extension RecordDifference {
    /// - Parameters:
    ///   - own: What this side has in a range.
    ///   - others: What the other side has there.
    /// - Returns: In the order of identities.
    public static func between(
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

    /// A damaged file may have a record twice.
    private static func sums(_ entries: [RangeSummary.Entry]) -> [RecordID: StateChecksum] {
        Dictionary(entries.map { ($0.record, $0.checksum) }) { $0 &+ $1 }
    }
}
