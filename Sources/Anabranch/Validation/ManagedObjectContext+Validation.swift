import AnabranchModel
import AnabranchStore

// Validation comes before any write, and asks every object that is to be written.
extension ManagedObjectContext {
    /// Asks all objects; those that change meanwhile are asked again, until none does.
    ///
    /// - Returns: What is pending then.
    /// - Throws: ``ValidationError`` with the failures of all objects; ``PropertyError`` with code
    ///   `endlessChanges`; ``StoreError``.
    func validate(_ pending: [ManagedObject]) throws -> [ManagedObject] {
        var validation = SaveValidation(context: self)
        var round = pending
        for _ in 0..<Self.mostRounds {
            try validation.ask(round)
            guard let changed = try takeChangesByHooks() else {
                try validation.finish(self.pending)
                return self.pending
            }
            round = changed
        }
        throw endlessChanges(of: round.first)
    }

    /// Asks all objects once more, after a merge policy has given them other values; as
    /// ``validate(_:)``, but that observers hear of nothing before the save is through.
    ///
    /// - Throws: As ``validate(_:)``.
    func validateAgain() throws {
        var validation = SaveValidation(context: self)
        var round = pending
        defer { joinRounds() }
        for _ in 0..<Self.mostRounds {
            for object in event.touched { object.flags.subtract([.noted, .writable]) }
            try validation.ask(round)
            try propagateDeletes()
            if let error = keptErrors.take() { throw error }
            // A hook that rolls back has emptied the event, so that its length tells nothing.
            var seen: Set<ManagedObject> = []
            round = event.touched.filter {
                $0.flags.contains(.noted) && !$0.flags.contains(.detached)
                    && seen.insert($0).inserted
            }
            if round.isEmpty { return try validation.finish(pending) }
        }
        throw endlessChanges(of: round.first)
    }

    /// What was noted once a round is noted once.
    private func joinRounds() {
        var seen: Set<ManagedObject> = []
        event.touched = event.touched.filter { seen.insert($0).inserted }
        for object in event.touched where !object.flags.contains(.detached) {
            object.flags.formUnion(.noted)
        }
    }
}

/// Asks the objects of one save and collects what they have against it.
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

    /// - Throws: ``ValidationError`` where there are failures, in the order of the occasions.
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

    /// Puts what the model has against an object before what a hook has; it has a say even where
    /// an override leaves out its superclass or swallows what that throws.
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

    /// Brings the members that are going to be counted, of each relationship in one read.
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
