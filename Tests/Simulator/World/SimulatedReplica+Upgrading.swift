import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport

/// Everything about a file that a migration leaves as it is.
private struct FileContent: Equatable {
    let hash: Digest
    let logEnd: Int64
    let pendingCount: Int
    let waitingCount: Int
    let rejected: Set<Digest>
    let repairQueue: Set<RecordID>
    let conflictCount: Int
    let cursor: LogCursor?

    init(of store: Store) throws {
        let state = try store.syncState()
        hash = try store.canonicalHash()
        logEnd = try store.read { try $0.logPosition() }
        pendingCount = try store.pendingSaves().count
        waitingCount = try store.read { try $0.waitingCount() }
        rejected = Set(try store.rejectedSaves().map(\.changeSet.origin))
        repairQueue = Set(try store.recordsToRepair(limit: .max))
        conflictCount = try store.conflictCount()
        cursor = state.cursor
    }
}

/// Apps that get another version, with the files that they have.
extension SimulatedReplica {
    /// Ends the app and begins another version of it, which migrates the file at any moment: with
    /// saves that were not pushed, with change sets that wait, in the middle of an exchange. Now
    /// and then it dies meanwhile.
    ///
    /// A file keeps its version if its records share a key that the new version wants to be unique,
    /// or if the new version is an earlier one and the changes since then can't be undone.
    func upgrade(to version: SimulationModel) throws {
        let former = names
        let before = try FileContent(of: store)
        let records = try canonicalRecords()
        let shown = try ExpectedView(shownBy: self)
        try ExpectedView(of: records, model: names.model).check(shown, in: path)
        let collides =
            !former.hasUniqueKeys && version.hasUniqueKeys
            && !ExpectedDuplicates(of: records, model: version.model).visible.isEmpty
        let isInferred =
            (try? InferredMigration(from: former.model, to: version.model)) != nil
        guard isInferred || former.kind.version > version.kind.version else {
            throw SimulationFailure("no migration leads from \(former.kind) to \(version.kind)")
        }
        close()
        let hasLostPower = try open(as: version, dying: world.oneIn(4) ? .random(world) : nil)
        try readLogAgain()
        if hasLostPower { try recordLosses() }
        tell("\(former.kind.rawValue) becomes \(names.kind.rawValue)")
        guard names.kind == (collides || !isInferred ? former : version).kind || hasLostPower
        else {
            throw SimulationFailure(
                "\(path) has the version \(names.kind), though records "
                    + (collides ? "share a key" : "share no key") + " of \(version.kind), and its "
                    + "migration can\(isInferred ? "" : "'t") be inferred")
        }
        if names.kind == version.kind { count(from: former) }
        try checkMigrated(hasLostPower ? nil : before)
        let present = try ExpectedView(shownBy: self)
        try ExpectedView(of: try canonicalRecords(), model: names.model).check(present, in: path)
        guard !hasLostPower, !former.hasUniqueKeys, !names.hasUniqueKeys else { return }
        try present.checkValues(
            names.model, sameAs: shown, former.model, of: records, in: path)
    }

    /// Checks that the file is sound and has what it had.
    ///
    /// - Parameter before: The content before the migration; `nil` if the file may have lost some.
    private func checkMigrated(_ before: FileContent?) throws {
        let after = try FileContent(of: store)
        if let before, before != after {
            throw SimulationFailure("a migration of \(path) made \(after) of \(before)")
        }
        // A whole check would flush the file, so that no loss of power could damage it later.
        guard try store.damage().isEmpty else {
            throw SimulationFailure("\(path) is damaged by its migration")
        }
    }

    private func count(from former: SimulationModel) {
        isMigrated = true
        let (old, new) = (former.kind.version, names.kind.version)
        if new > old { statistics.count(.upgrade) }
        if new > old + 1 { statistics.count(.versionSkipped) }
        if new < old { statistics.count(.downgrade) }
    }
}

extension ExpectedView {
    /// Checks that the values that both versions of a model have are the same before and after a
    /// migration.
    ///
    /// A value of another type that a newer version wrote is shown only after the migration.
    ///
    /// - Parameter records: The records of the file before the migration.
    func checkValues(
        _ model: ManagedObjectModel, sameAs former: ExpectedView, _ old: ManagedObjectModel,
        of records: [CanonicalRecord], in place: String
    ) throws {
        let attributes = Self.commonAttributes(of: model, old)
        for record in records {
            guard let values = self.attributes[record.id],
                let earlier = former.attributes[record.id]
            else { continue }
            for (present, old) in attributes where values[present.name] != earlier[old.name] {
                let wire = present.wireProperty
                if wire != old.wireProperty, record.cells.contains(where: { $0.property == wire }) {
                    continue
                }
                throw SimulationFailure(
                    "\(place) shows \(present.name) of \(record.id) as "
                        + "\(values[present.name] ?? .null), which was "
                        + "\(earlier[old.name] ?? .null) before its migration")
            }
        }
    }

    /// The attributes without defaults that both versions have, now and formerly. No two entities
    /// of the versions have one name for different wire names.
    private static func commonAttributes(
        of model: ManagedObjectModel, _ old: ManagedObjectModel
    ) -> [(AttributeDescription, AttributeDescription)] {
        func attributes(_ model: ManagedObjectModel) -> [WireName: AttributeDescription] {
            Dictionary(
                model.entities.flatMap(\.attributes).filter { $0.defaultValue.isNull }
                    .map { ($0.wireProperty.name, $0) },
                uniquingKeysWith: { first, _ in first })
        }
        let formerly = attributes(old)
        return attributes(model).compactMap { name, present in
            formerly[name].map { (present, $0) }
        }
    }
}
