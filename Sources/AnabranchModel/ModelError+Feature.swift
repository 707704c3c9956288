extension ModelError {
    /// A planned feature that a model uses and that this version does not support.
    public struct Feature: RawRepresentable, Hashable, Sendable {
        /// The name of the feature, stable across versions.
        public let rawValue: String
        /// Creates a feature from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An attribute composed of other attributes.
        public static let compositeAttribute = Feature(rawValue: "composite-attribute")
        /// A merge rule that is not supported yet.
        public static let mergeRule = Feature(rawValue: "merge-rule")
        /// A uniqueness constraint that names a relationship.
        public static let relationshipInConstraint = Feature(
            rawValue: "relationship-in-constraint")
    }
}
