import AnabranchReplication

/// The migration from one version of a model to another one, inferred from their differences.
///
/// An entity or a property of the new version is that of the old one with its wire name. By default
/// that is the one which its renaming identifier names, or else the one of the same name. A version
/// that renames something again gives it its first name as the wire name, and then migrates a store
/// of any earlier version. A property may come from any entity of the hierarchy.
///
/// The values of a store belong to wire properties, so a property that both versions have must keep
/// its wire name, type and merge rule. The type of an attribute outside a group may change, if the
/// new type can show every value of the old one:
///
/// - `integer16` to a wider integer, `integer32` to `integer64`;
/// - an integer to `double` or `decimal`, where a double shows the nearest number of an integer
///   beyond 2^53;
/// - `float` to `double`;
/// - everything to `string`, in a printed form.
///
/// Its merge rule may change too, except to and from `counter`. Nothing is rewritten: an attribute
/// shows the value of its former type and rule, converted, until it is written, and again if a
/// replica of the old version writes that later. Other changes are refused.
///
/// An attribute that becomes mandatory needs a default, which records without a value show. A
/// to-one that becomes mandatory has nothing to show, so a store that has records without a target
/// is not migrated.
package struct InferredMigration: Sendable {
    /// The differences, by the order of the entities' names in the new version.
    package let changes: [ModelChange]
    /// The uniqueness constraints that only the new version has, or for which it shows other
    /// defaults.
    package let newConstraints: [[AttributeDescription]]
    /// The to-one relationships and the parts of unique keys that are mandatory in the new version
    /// only. A record without a value of one has nothing to show in its place.
    package let newDemands: [PropertyDescription]

    /// Infers a migration.
    ///
    /// - Throws: ``MigrationError`` with every reason why it can't be inferred.
    package init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MigrationError) {
        var comparison = ModelComparison(source: source, destination: destination)
        comparison.compare()
        if !comparison.problems.isEmpty {
            throw MigrationError(problems: comparison.problems)
        }
        changes = comparison.changes
        newConstraints = comparison.newConstraints
        newDemands = comparison.newDemands
    }
}
