public import AnabranchModel
import AnabranchStore

/// The migration of stores from any earlier version of a model to the present one, in stages.
///
/// Give it to ``PersistentStoreDescription/stagedMigration`` before the container is loaded. It
/// lists every version that the app ever shipped, in their order, and the last one is the model of
/// the container:
///
/// ```swift
/// description.stagedMigration = StagedMigration([
///     .lightweight([version1, version2]),
///     .custom("Add sort names", from: version2, to: version3) { context, former in
///         for person in try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")) {
///             let name: String? = try former.value(forKey: "name", of: person)
///             try person.setValue(name?.lowercased(), forKey: "sortName")
///         }
///     },
/// ])
/// ```
///
/// Opening a store finds its version by the version hashes, and runs the stages after it. Each
/// step between two versions is a migration that can be inferred, in one transaction. If the
/// stages don't lead from the store's version to the present one, opening throws `StoreError` with
/// code `unusableStages`, and the store stays as it was. Never remove a stage: stores of every age
/// exist.
///
/// **Stages have to be deterministic.** A migration itself is not synced, so every replica runs the
/// stages on its own. The changes that a custom stage saves are ordinary ones, and they are synced.
/// If all replicas write equal values to the same records, these merge to nothing visible and leave
/// no entry in the conflict journal. So compute each value from the record's former values alone,
/// not from the time, from random numbers or from the order of records. Set no property that has
/// the right value already. Insert an object only if its entity has a unique key, so that the
/// objects of several replicas become one. Don't add to a counter.
public struct StagedMigration: Sendable {
    /// The stages, in the order of the versions.
    public let stages: [Stage]

    /// Creates a migration.
    public init(_ stages: [Stage]) { self.stages = stages }

    /// The stages as the store runs them.
    var storeStages: StoreStages {
        StoreStages(
            stages.map(\.versions),
            code: Dictionary(
                uniqueKeysWithValues: stages.enumerated().compactMap { place, stage in
                    stage.code.map { (place, $0) }
                }))
    }
}

extension StagedMigration {
    /// One stage of a migration: versions that need no code, or the code between two versions.
    ///
    /// `.lightweight` and `.custom` create them.
    public struct Stage: Sendable {
        let versions: MigrationPlan.Stage
        let code: StoreStages.Code?
    }
}

extension StagedMigration.Stage {
    /// Creates a stage of versions each of which is inferred from the one before.
    ///
    /// - Parameter versions: The versions in their order. The first one can be the version in which
    ///   the stage before has ended.
    public static func lightweight(_ versions: [ManagedObjectModelReference]) -> Self {
        Self(versions: .lightweight(versions), code: nil)
    }
}
