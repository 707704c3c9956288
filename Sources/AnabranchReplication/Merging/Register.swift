/// The rule `lastWriter`: a register keeps the write with the greatest stamp.
public enum Register {
    public enum Outcome: Sendable {
        /// The incoming write replaces what is held.
        case takes
        /// What is held stays: the incoming write is older.
        case keeps
        /// The incoming write is the one that is held already.
        case repeats
    }

    /// Decides by stamps alone, never by values: a server can merge what it cannot read.
    ///
    /// Commutative, associative and idempotent over writes, since no two saves share a stamp.
    ///
    /// - Parameter held: `nil` where the register was never written.
    @inlinable
    public static func outcome(ofWriting incoming: Stamp, over held: Stamp?) -> Outcome {
        guard let held else { return .takes }
        return held < incoming ? .takes : held == incoming ? .repeats : .keeps
    }
}
