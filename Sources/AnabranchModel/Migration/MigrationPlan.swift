/// The versions of a model in the order of an app's history, and the steps between them.
package struct MigrationPlan: Sendable {
    /// A version with its model.
    package struct Version: Sendable {
        package let name: String
        package let model: ManagedObjectModel

        init(_ reference: ManagedObjectModelReference) throws(MigrationPlanError) {
            name = reference.name
            model = try reference.model()
        }
    }

    /// A stage as an app declares it.
    package enum Stage: Sendable {
        /// Versions that are reached without code of the app.
        case lightweight([ManagedObjectModelReference])
        /// Code of the app runs between two versions.
        case custom(ManagedObjectModelReference, ManagedObjectModelReference)
    }

    /// The way from one version to the next.
    package struct Step: Sendable {
        package let source: Version
        package let destination: Version
        /// The position of the custom stage among the stages; `nil` for a lightweight step.
        package let stage: Int?
    }

    /// The steps, each from the version in which the one before ends.
    package private(set) var steps: [Step] = []
    private var versions: [Version] = []

    /// Reads all versions and puts them in order.
    ///
    /// A version that a stage begins with, and that is not the last one so far, follows it by a
    /// lightweight step.
    ///
    /// - Throws: ``MigrationPlanError``: `modelNotFound`, `backward`, `indistinctVersions`.
    package init(_ stages: [Stage]) throws(MigrationPlanError) {
        for (place, stage) in stages.enumerated() {
            switch stage {
            case .lightweight(let references):
                for (position, reference) in references.enumerated() {
                    let version = try Version(reference)
                    if position > 0 || !isLast(version) { try append(version, by: nil) }
                }
            case .custom(let source, let destination):
                let former = try Version(source)
                if !isLast(former) { try append(former, by: nil) }
                try append(try Version(destination), by: place)
            }
        }
    }

    private func isLast(_ version: Version) -> Bool {
        versions.last.map { $0.model.hasVersion(of: version.model) } ?? false
    }

    private mutating func append(_ version: Version, by stage: Int?) throws(MigrationPlanError) {
        if let twin = versions.first(where: { $0.model.hasVersion(of: version.model) }) {
            throw repetition(of: version, twin)
        }
        if let last = versions.last {
            steps.append(Step(source: last, destination: version, stage: stage))
        }
        versions.append(version)
    }

    private func repetition(of version: Version, _ twin: Version) -> MigrationPlanError {
        guard twin.name == version.name, let last = versions.last else {
            return MigrationPlanError(
                .indistinctVersions,
                "the versions '\(twin.name)' and '\(version.name)' have the same version hashes, "
                    + "so they can't be told apart. Give an entity of '\(version.name)' a version "
                    + "hash modifier.", version: version.name)
        }
        return MigrationPlanError(
            .backward,
            "they lead from version '\(last.name)' back to '\(version.name)'. Put them into the "
                + "order in which the versions were shipped.", version: version.name)
    }
}

extension MigrationPlan {
    /// The steps that lead from a store's version to the present one.
    ///
    /// - Parameters:
    ///   - stored: The model of the store.
    ///   - present: The model with which the app opens the store. It has the last version.
    /// - Throws: ``MigrationPlanError``: `presentVersionNotLast`, `unknownVersion`.
    package func steps(
        from stored: ManagedObjectModel, to present: ManagedObjectModel
    ) throws(MigrationPlanError) -> ArraySlice<Step> {
        guard let last = versions.last, present.hasVersion(of: last.model) else {
            throw MigrationPlanError(
                .presentVersionNotLast,
                "the model with which the store is opened does not have the last version of the "
                    + "stages, which is \(versions.last.map { "'\($0.name)'" } ?? "none"). Add "
                    + "the missing stage, or open the store with the last version.",
                version: versions.last?.name)
        }
        guard let place = versions.firstIndex(where: { stored.hasVersion(of: $0.model) }) else {
            throw unknownVersion(stored, last)
        }
        return steps[place...]
    }

    private func unknownVersion(
        _ stored: ManagedObjectModel, _ last: Version
    ) -> MigrationPlanError {
        let entity = stored.firstEntity(withOtherVersionIn: last.model)?.name
        let difference =
            entity.map { " It differs from '\(last.name)', beginning with the entity \($0)." } ?? ""
        let names = versions.map { "'\($0.name)'" }.joined(separator: ", ")
        return MigrationPlanError(
            .unknownVersion,
            "the store has none of the versions that they list: \(names).\(difference) Add its "
                + "version to the stages, or update the app if a later version has written the "
                + "store.")
    }

    /// The custom step that a store waits for.
    ///
    /// - Parameters:
    ///   - former: The model that the store had before the step.
    ///   - stored: The model that it has now.
    ///   - label: The label of the stage, for errors.
    /// - Throws: ``MigrationPlanError`` with code `unknownStage`.
    package func pendingStep(
        from former: ManagedObjectModel, to stored: ManagedObjectModel, label: String
    ) throws(MigrationPlanError) -> Step {
        let step = steps.first {
            $0.stage != nil && former.hasVersion(of: $0.source.model)
                && stored.hasVersion(of: $0.destination.model)
        }
        guard let step else {
            throw MigrationPlanError(
                .unknownStage,
                "the store waits for the stage '\(label)', which they lack. Add it again, with "
                    + "the versions before and after it.")
        }
        return step
    }
}
