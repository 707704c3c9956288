/// A register: of all writes of a property one wins.
///
/// Under `lastWriter` and `group` it is the write with the greatest stamp, under `firstWriter` the
/// one with the least. Under `max` and `min` it is the write of the greatest or least value
/// (``Extremum``), and of equal values the one with the greatest stamp.
///
/// A store compares the stamps of its rows in their local form, in the same order
/// (`ChangeSetMerge+Rows`).
///
/// Each rule is a total order over writes, because no two saves share a stamp. So merging is
/// commutative, associative and idempotent. Two writes of one save share its stamp: the first wins,
/// unless the second has a greater (or lesser) value under `max` (or `min`).
@usableFromInline package enum Register {
    /// The outcome of an incoming write.
    @usableFromInline package enum Outcome: Sendable {
        /// The incoming write wins and replaces the held value.
        case replaces
        /// The held value stays: the incoming write loses.
        case loses
        /// The incoming write is the held one.
        case isDuplicate
    }

    /// Decides a write under the rule `lastWriter`, which `group` shares.
    ///
    /// Only the stamps decide, so a server can merge values that it can't read.
    ///
    /// - Parameters:
    ///   - incoming: The stamp of the incoming write.
    ///   - held: The stamp of the held value, or `nil` if the register was never written.
    @inlinable
    package static func outcome(ofWriting incoming: Stamp, over held: Stamp?) -> Outcome {
        guard let held else { return .replaces }
        return held < incoming ? .replaces : held == incoming ? .isDuplicate : .loses
    }

    /// Decides a write under any rule that keeps one value.
    ///
    /// - Parameters:
    ///   - incoming: The stamp of the incoming write.
    ///   - held: The stamp of the held value, or `nil` if the register was never written.
    ///   - rule: The merge rule of the property.
    ///   - values: Returns both values. Only `max` and `min` call it, so the other rules need not
    ///     read values.
    @inlinable
    package static func outcome(
        ofWriting incoming: Stamp, over held: Stamp?, by rule: MergeRule,
        values: () throws -> (incoming: PropertyValue, held: PropertyValue)
    ) rethrows -> Outcome {
        guard let held, rule != .lastWriter else { return outcome(ofWriting: incoming, over: held) }
        switch rule {
        case .firstWriter:
            return incoming < held ? .replaces : incoming == held ? .isDuplicate : .loses
        case .max, .min:
            let values = try values()
            switch Extremum.comparison(of: values.incoming, against: values.held, by: rule) {
            case .ahead: return .replaces
            case .behind: return .loses
            case .level: return outcome(ofWriting: incoming, over: held)
            }
        default: return outcome(ofWriting: incoming, over: held)
        }
    }
}
