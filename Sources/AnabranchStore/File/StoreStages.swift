package import AnabranchModel
import Synchronization

/// The stages by which a file gets from its version of a model to the present one.
///
/// The versions are read when a file has to be migrated, and then once.
package final class StoreStages: Sendable {
    /// The code that an app runs in a custom stage.
    package struct Code: Sendable {
        let label: String
        let willMigrate: (@Sendable (Store) throws -> Void)?
        let didMigrate: (@Sendable (Store, ManagedObjectModel) throws -> Void)?

        /// - Parameters:
        ///   - willMigrate: Gets the file as it is before the stage.
        ///   - didMigrate: Gets the file with the version after the stage, and the model before
        ///     it. Its first save completes the stage in the same transaction.
        package init(
            label: String, willMigrate: (@Sendable (Store) throws -> Void)?,
            didMigrate: (@Sendable (Store, ManagedObjectModel) throws -> Void)?
        ) {
            self.label = label
            self.willMigrate = willMigrate
            self.didMigrate = didMigrate
        }
    }

    private let stages: [MigrationPlan.Stage]
    private let code: [Int: Code]
    private let plan = Mutex<MigrationPlan?>(nil)

    /// - Parameter code: The code of the custom stages, by their position.
    package init(_ stages: [MigrationPlan.Stage], code: [Int: Code]) {
        self.stages = stages
        self.code = code
    }

    /// The code of a step; `nil` for a lightweight one.
    func code(of step: MigrationPlan.Step) -> Code? { step.stage.flatMap { code[$0] } }

    /// The steps from a file's version to the present one, each with a migration that can be
    /// inferred.
    ///
    /// - Throws: `unusableStages`, `migrationNotInferred`.
    func steps(
        from stored: ManagedObjectModel, to model: ManagedObjectModel, path: String
    ) throws -> ArraySlice<MigrationPlan.Step> {
        let steps = try translating(path) { () throws(MigrationPlanError) in
            try loadedPlan().steps(from: stored, to: model)
        }
        var former = stored
        for step in steps {
            _ = try StoreOpening.inferredMigration(
                from: former, to: step.destination.model, path: path,
                toVersion: step.destination.name)
            former = step.destination.model
        }
        return steps
    }

    /// The step that a file waits for.
    ///
    /// - Throws: `unusableStages`.
    func step(
        of pending: PendingStage, stored: ManagedObjectModel, path: String
    ) throws -> MigrationPlan.Step {
        try translating(path) { () throws(MigrationPlanError) in
            try loadedPlan().pendingStep(from: pending.former, to: stored, label: pending.label)
        }
    }

    private func loadedPlan() throws(MigrationPlanError) -> MigrationPlan {
        if let plan = plan.withLock({ $0 }) { return plan }
        let made = try MigrationPlan(stages)
        plan.withLock { $0 = made }
        return made
    }

    private func translating<Result>(
        _ path: String, _ body: () throws(MigrationPlanError) -> Result
    ) throws -> Result {
        do throws(MigrationPlanError) {
            return try body()
        } catch {
            throw StoreError(
                .unusableStages,
                "Can't migrate \(path) by its stages because \(error.message)", path: path,
                underlying: error)
        }
    }
}
