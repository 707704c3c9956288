import AnabranchReplication

/// The differences between two versions of a model, whether or not a migration can be inferred.
///
/// ``InferredMigration`` throws the refusals instead.
package struct ModelDifferences: Sendable {
    /// The changes of the schema, by the order of the entities' names in the new version.
    ///
    /// An entity has a change of an inherited property too, as the entity that declares it.
    package let changes: [ModelChange]
    /// The reasons why no migration can be inferred; none if it can.
    package let refusals: [MigrationError.Problem]
    /// True if a store of the old version opens with the new one without a migration.
    ///
    /// Settings that decide neither storage nor merges, such as defaults, may differ.
    package let isSameVersion: Bool

    /// Compares two versions of a model.
    package init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        var comparison = ModelComparison(source: source, destination: destination)
        comparison.compare()
        changes = comparison.changes
        refusals = comparison.problems
        isSameVersion = destination.hasVersion(of: source)
    }
}
