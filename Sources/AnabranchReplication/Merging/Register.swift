/// A register: of all writes of a property one stays.
///
/// Under `lastWriter` and `group` the one with the greatest stamp, under `firstWriter` the one
/// with the least, under `max` and `min` the one whose value goes furthest (``Extremum``), of
/// level ones the one with the greatest stamp. Each is a total order over writes, since no two
/// saves share a stamp: so merging is commutative, associative and idempotent. Of two writes in
/// one save, which share its stamp, the first stays unless the second's value goes further.
public enum Register {
    public enum Outcome: Sendable {
        /// The incoming write replaces what is held.
        case takes
        /// What is held stays: the incoming write lost.
        case keeps
        /// The incoming write is the one that is held already.
        case repeats
    }

    /// The rule `lastWriter`, which `group` shares.
    ///
    /// Decides by stamps alone, never by values: a server can merge values that it cannot read.
    ///
    /// - Parameter held: `nil` where the register was never written.
    @inlinable
    public static func outcome(ofWriting incoming: Stamp, over held: Stamp?) -> Outcome {
        guard let held else { return .takes }
        return held < incoming ? .takes : held == incoming ? .repeats : .keeps
    }

    /// Any rule under which one value stays.
    ///
    /// - Parameters:
    ///   - held: `nil` where the register was never written.
    ///   - values: Both values; asked for by `max` and `min` only, so that the other rules need
    ///     not be able to read them.
    @inlinable
    public static func outcome(
        ofWriting incoming: Stamp, over held: Stamp?, by rule: MergeRule,
        values: () throws -> (incoming: Value, held: Value)
    ) rethrows -> Outcome {
        guard let held, rule != .lastWriter else { return outcome(ofWriting: incoming, over: held) }
        switch rule {
        case .firstWriter:
            return incoming < held ? .takes : incoming == held ? .repeats : .keeps
        case .max, .min:
            let values = try values()
            switch Extremum.standing(of: values.incoming, against: values.held, by: rule) {
            case .ahead: return .takes
            case .behind: return .keeps
            case .level: return outcome(ofWriting: incoming, over: held)
            }
        default: return outcome(ofWriting: incoming, over: held)
        }
    }
}
