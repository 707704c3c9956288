import AnabranchModel
import AnabranchSQLite

extension StoreOpening {
    /// Migrates an open file step by step until it has a model and waits for no stage.
    ///
    /// Another process may do the same at the same time: then each step is taken by one of them.
    ///
    /// - Parameter store: The file as it was opened.
    /// - Returns: The file as it is opened afterwards.
    func migrated(_ store: Store, to model: ManagedObjectModel) throws -> Store {
        var store = store
        var stepCount = 0
        while !store.lacksNothing(of: model) {
            let remaining = try remainingStepCount(of: store, to: model)
            store.endReading()
            let opening = following(stepCount, of: stepCount + remaining)
            store = try opening.open(expecting: model)
            guard !store.lacksNothing(of: model) else { break }
            do {
                try opening.takeStep(store, to: model)
                stepCount += 1
            } catch let error as StoreError where error.code == .storeChanged {}
            store.endReading()
            store = try open(expecting: model)
        }
        return store
    }

    /// The same opening, with a progress that reports one step.
    private func following(_ step: Int, of count: Int) -> StoreOpening {
        var options = options
        options.migrationProgress = options.migrationProgress?.part(step, of: count)
        return StoreOpening(
            connection, path: path, options: options, environment: environment, access: access,
            stages: stages)
    }

    /// The number of migrations and of custom stages' runs until a file has a model.
    private func remainingStepCount(of store: Store, to model: ManagedObjectModel) throws -> Int {
        guard let stages else { return 1 }
        let steps = try stages.steps(from: store.model, to: model, path: path)
        let runs = steps.count { stages.code(of: $0)?.didMigrate != nil }
        return max(steps.count + runs + (store.pendingStage == nil ? 0 : 1), 1)
    }

    private func takeStep(_ store: Store, to model: ManagedObjectModel) throws {
        guard let stages else { return try store.migrate(to: model) }
        if let pending = store.pendingStage {
            let step = try stages.step(of: pending, stored: store.model, path: path)
            return try complete(
                pending, by: stages.code(of: step), store,
                isLast: store.model.hasVersion(of: model))
        }
        let steps = try stages.steps(from: store.model, to: model, path: path)
        // A model of the same version may have other defaults, which the tables show.
        guard let step = steps.first else { return try store.migrate(to: model) }
        let code = stages.code(of: step)
        if let code, let willMigrate = code.willMigrate {
            try run("begin", code.label) { try willMigrate(store) }
        }
        let isLast = steps.count == 1
        let pending = code.flatMap { code in
            code.didMigrate.map { _ in PendingStage(label: code.label, former: store.model) }
        }
        try store.migrate(
            to: isLast ? model : step.destination.model, waitingFor: pending, isLast: isLast)
    }

    private func complete(
        _ pending: PendingStage, by code: StoreStages.Code?, _ store: Store, isLast: Bool
    ) throws {
        try store.reportMigration(0)
        if let didMigrate = code?.didMigrate {
            try run("complete", pending.label) { try didMigrate(store, pending.former) }
        }
        try store.forgetPendingStage(isLast: isLast)
        options.migrationProgress?.reach(1)
    }

    private func run(_ verb: String, _ label: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StoreError where error.code == .storeChanged {
            throw error
        } catch {
            throw StoreError(
                .stageFailed,
                "Can't \(verb) the stage '\(label)' of the migration of \(path): \(error). Nothing "
                    + "that it wrote was saved. Open the store again to run the stage again.",
                path: path, underlying: error)
        }
    }
}

extension Store {
    /// True if no migration to a model has to follow.
    func lacksNothing(of model: ManagedObjectModel) -> Bool {
        self.model.hash == model.hash && pendingStage == nil
    }

    /// Removes the stage that the file waits for, if its code has saved nothing.
    fileprivate func forgetPendingStage(isLast: Bool) throws {
        try write(in: WriteTransaction.self) { transaction in
            _ = try PendingStage.remove(transaction.connection)
            try UnfinishedMigration.mark(transaction.connection, !isLast)
        }
    }
}

extension WriteTransaction {
    /// Completes the stage for which the file was opened, together with what the transaction saves.
    ///
    /// - Throws: `storeChanged` if another process has completed the stage meanwhile, so that the
    ///   file has its changes already.
    func completePendingStage() throws {
        guard try PendingStage.remove(connection) else {
            throw StoreError(
                .storeChanged,
                "Can't save the changes of a stage because another program has completed the "
                    + "migration of \(store.path). Open it again.", path: store.path)
        }
    }
}
