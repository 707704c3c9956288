import AnabranchModel
import AnabranchStore

// Validation runs before any write, on every object that is to be written.
extension ManagedObjectContext {
    /// Validates all objects; objects that change meanwhile are validated again, until none does.
    ///
    /// - Returns: The objects that are pending then.
    /// - Throws: ``ValidationError`` with the failures of all objects; ``PropertyError`` with code
    ///   `endlessChanges`; `StoreError`.
    func validate(_ pending: [ManagedObject]) throws -> [ManagedObject] {
        var validation = SaveValidation(context: self)
        var round = pending
        for _ in 0..<Self.maximumRounds {
            try validation.ask(round)
            guard let changed = try takeChangesByHooks() else {
                try validation.finish(self.pending)
                return self.pending
            }
            round = changed
        }
        throw endlessChanges(of: round.first)
    }

    /// Validates all objects again after a merge policy has changed their values, like
    /// `validate(_:)`. Observers are not notified before the save is through.
    ///
    /// - Throws: The errors of `validate(_:)`.
    func validateAgain() throws {
        var validation = SaveValidation(context: self)
        var round = pending
        defer { joinRounds() }
        for _ in 0..<Self.maximumRounds {
            for object in event.touched { object.flags.subtract([.recordedInEvent, .writable]) }
            try validation.ask(round)
            try propagateDeletes()
            if let error = keptErrors.take() { throw error }
            // A hook that rolls back empties the event, and so its length can't be compared.
            var seen: Set<ManagedObject> = []
            round = event.touched.filter {
                $0.flags.contains(.recordedInEvent) && !$0.flags.contains(.detached)
                    && seen.insert($0).inserted
            }
            if round.isEmpty { return try validation.finish(pending) }
        }
        throw endlessChanges(of: round.first)
    }

    /// Removes repeated entries from the event: validation records an object once per round.
    private func joinRounds() {
        var seen: Set<ManagedObject> = []
        event.touched = event.touched.filter { seen.insert($0).inserted }
        for object in event.touched where !object.flags.contains(.detached) {
            object.flags.formUnion(.recordedInEvent)
        }
    }
}

/// Validates the objects of one save and collects their failures.
private struct SaveValidation {
    let context: ManagedObjectContext
    private var failures: [LocalID: [ValidationError]] = [:]

    init(context: ManagedObjectContext) { self.context = context }

    mutating func ask(_ objects: [ManagedObject]) throws {
        if context.coordinator.plans.haveCounts { try loadRelations(of: objects) }
        for occasion in SaveOccasion.allCases where context.counts.number(of: occasion) > 0 {
            for object in objects where SaveOccasion(object) == occasion {
                try ask(object, occasion)
            }
        }
    }

    /// - Throws: ``ValidationError`` if there are failures, in the order of the occasions.
    func finish(_ pending: [ManagedObject]) throws {
        guard !failures.isEmpty else { return }
        let sorted = SaveOccasion.allCases.flatMap { occasion in
            pending.filter { SaveOccasion($0) == occasion }.flatMap { failures[$0.localID] ?? [] }
        }
        if let error = ValidationError(sorted) { throw error }
    }

    private mutating func ask(_ object: ManagedObject, _ occasion: SaveOccasion) throws {
        context.checkedID = 0
        var found: [ValidationError] = []
        do {
            switch occasion {
            case .delete: try object.validateForDelete()
            case .insert: try object.validateForInsert()
            case .update: try object.validateForUpdate()
            }
        } catch let error as StoreError {
            throw error
        } catch let error as ValidationError {
            found = error.failures(of: object)
        } catch {
            found = [ValidationError(underlying: error, of: object, property: nil, value: nil)]
        }
        if context.checkedID != object.localID || !context.modelFailures.isEmpty {
            found = try modelFailures(of: object, occasion, and: found)
        }
        if !found.isEmpty || !failures.isEmpty {
            failures[object.localID] = found.isEmpty ? nil : found
        }
    }

    /// Combines the failures of the model's checks with those of a hook. The model's failures come
    /// first, and count even if an override does not call `super` or catches its error.
    private mutating func modelFailures(
        of object: ManagedObject, _ occasion: SaveOccasion, and found: [ValidationError]
    ) throws -> [ValidationError] {
        if context.checkedID != object.localID {
            context.modelFailures = []
            do {
                try object.checkByModel(occasion)
            } catch is ValidationError {}
        }
        let model = context.modelFailures
        context.modelFailures = []
        return model + found.filter { failure in !model.contains { $0.repeats(failure) } }
    }

    /// Reads the members that will be counted, with one read per relationship.
    private func loadRelations(of objects: [ManagedObject]) throws {
        var owners: [RelationshipDescription: [ManagedObject]] = [:]
        for object in objects {
            guard SaveOccasion(object) == .update else { continue }
            for relation in object.home.plan.checks.relations
            where object.relations?.states[relation.index].members == nil
                && relation.isConcerned(by: object, in: context)
            {
                owners[relation.relationship, default: []].append(object)
            }
        }
        for (relationship, owners) in owners { try context.load(relationship, of: owners) }
    }
}

extension ChangeCounts {
    fileprivate func number(of occasion: SaveOccasion) -> Int {
        switch occasion {
        case .delete: deleted
        case .insert: inserted
        case .update: updated
        }
    }
}
