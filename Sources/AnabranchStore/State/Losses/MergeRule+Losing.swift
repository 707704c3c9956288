import AnabranchReplication

extension MergeRule {
    /// True if a write that does not win counts as lost. Under `max` and `min`, losing is the
    /// purpose of the rule.
    var loses: Bool { !isExtremum }

    var isExtremum: Bool { self == .max || self == .min }
}
