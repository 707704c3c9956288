import AnabranchStore

@testable import Anabranch

extension ManagedObjectContext {
    /// The omissions in the lists that let a context avoid a look at every object; empty if the
    /// lists are complete. It looks at every object.
    var inconsistencies: [String] {
        registeredObjects.flatMap { object in
            missingListings(of: object) + pendingMentions(by: object)
        } + registry.inconsistencies
    }

    private func missingListings(of object: ManagedObject) -> [String] {
        guard let table = object.relations else { return [] }
        return table.states.indices.compactMap { index in
            let state = table.states[index]
            guard state.members != nil || state.hasChanges else { return nil }
            // Nothing has to find an object that a transient relationship does not relate.
            if state.isTransient, state.members == [], !state.hasChanges { return nil }
            let isListed = object.home.related[index].ids.contains(object.localID)
            return state.isListed && isListed
                ? nil : "\(object) is not listed by \(object.home.plan.relations[index])"
        }
    }

    /// Returns the object's references to records with a propagated deletion.
    private func pendingMentions(by object: ManagedObject) -> [String] {
        guard !object.isDeleted, object.flags.contains(.hasRow) else { return [] }
        let slots = object.home.plan.references.filter { relationship in
            guard relationship.inverse?.deleteRule != .deny,
                case .integer(let id) = object.slots[relationship.slot]
            else { return false }
            return deletedIDs.contains(id)
        }
        let relations = object.home.plan.relations.enumerated().filter { index, _ in
            let state = object.relations?.states[index]
            return !deletedIDs.isDisjoint(with: (state?.members ?? []).union(state?.added ?? []))
        }
        return (slots + relations.map(\.element)).map { "\(object) still has a deleted \($0)" }
    }
}

extension IdentityMap {
    /// The pages that are in the wrong place, or on the list of recent pages without a mark.
    var inconsistencies: [String] {
        var found: [String] = []
        var objectCount = 0
        let listed = Set(recent)
        for place in 0..<capacity {
            guard let page = pages[place] else { continue }
            objectCount += page.count
            if self.place(of: page.number) != place { found.append("page \(page.number) is lost") }
            if page.isRecent && !listed.contains(page.number) {
                found.append("page \(page.number) is not listed as recent")
            }
            if page.count == 0 { found.append("page \(page.number) is empty") }
        }
        if objectCount != count { found.append("\(objectCount) objects counted as \(count)") }
        return found
    }
}
