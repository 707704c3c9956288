extension ModelError {
    /// Something that a model may ask for, by plan, and that is not there yet.
    public struct Feature: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let transientRelationship = Feature(rawValue: "transient-relationship")
        /// A to-one relationship that is its own inverse.
        public static let selfInverseToOne = Feature(rawValue: "self-inverse-to-one")
        public static let compositeAttribute = Feature(rawValue: "composite-attribute")
        /// A merge rule other than `lastWriter`.
        public static let mergeRule = Feature(rawValue: "merge-rule")
        public static let relationshipInConstraint = Feature(
            rawValue: "relationship-in-constraint")
        /// Properties of one name on different branches of a hierarchy.
        public static let sameNameOnTwoBranches = Feature(rawValue: "same-name-on-two-branches")
    }
}
