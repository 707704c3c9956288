/// The keys of user info entries with the settings that Xcode's format has no place for.
enum UserInfoKey {
    /// The wire name of an entity, an attribute or a relationship.
    static let wireName = "anabranch.wireName"
    /// The name of an attribute's merge rule.
    static let mergeRule = "anabranch.mergeRule"
    /// The name of an attribute's attribute group.
    static let mergeGroup = "anabranch.mergeGroup"
    /// The name of an entity's delete policy.
    static let deletePolicy = "anabranch.deletePolicy"
    /// Declares with `YES` that a configuration of the entity is not synced. The configuration's
    /// name follows.
    static let unsyncedPrefix = "anabranch.unsynced."
    /// Declares a to-one acyclic with `YES`.
    static let acyclic = "anabranch.acyclic"
    /// Makes a text attribute searchable: `YES`, or the lengths of the word beginnings with an
    /// index, such as `2 3`.
    static let searchable = "anabranch.searchable"
    /// A default for which Xcode has no form.
    static let defaultValue = "anabranch.default"
}
