extension ModelError {
    /// A planned feature that a model uses and that this version does not support.
    package struct Feature: Hashable, Sendable {
        /// The name of the feature, stable across versions.
        package let rawValue: String

        /// An attribute composed of other attributes.
        package static let compositeAttribute = Feature(rawValue: "composite-attribute")
        /// A merge rule that is not supported yet.
        package static let mergeRule = Feature(rawValue: "merge-rule")
        /// A uniqueness constraint that names a relationship.
        package static let relationshipInConstraint = Feature(
            rawValue: "relationship-in-constraint")
    }
}
