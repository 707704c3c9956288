extension ModelError {
    /// A planned feature that a model uses and that this version does not support.
    package struct Feature: RawRepresentable, Hashable, Sendable {
        /// The name of the feature, stable across versions.
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// An attribute composed of other attributes.
        package static let compositeAttribute = Feature(rawValue: "composite-attribute")
        /// A merge rule that is not supported yet.
        package static let mergeRule = Feature(rawValue: "merge-rule")
        /// A uniqueness constraint that names a relationship.
        package static let relationshipInConstraint = Feature(
            rawValue: "relationship-in-constraint")
    }
}
