import AnabranchModel
import AnabranchStore

/// Reads ahead along the relationships of a deep cascade.
///
/// Deletions are followed in waves, and a wave reads its objects and their relationships with a few
/// SELECTs. A chain has one object in each wave, so from some depth on the objects of many waves
/// are read together: everything that is read is going to be deleted.
struct CascadeReading {
    private var waveCount = 0
    /// The greatest number of objects that are read at once, which doubles each time.
    private var limit = 64
    /// The objects that were read and that no wave has reached, with others.
    private var objects: [ManagedObject] = []

    /// The number of waves that read for themselves.
    private static let firstWave = 8
    private static let greatestLimit = 8192

    mutating func beginWave() { waveCount += 1 }

    /// Reads what a wave and the waves after it reach by a relationship, if a wave is so deep, and
    /// was not reached by an earlier reading.
    mutating func read(
        _ relationship: RelationshipDescription, of wave: [ManagedObject],
        in context: ManagedObjectContext
    ) throws {
        guard waveCount > Self.firstWave, case .store = context.source,
            relationship.destination.isKind(of: relationship.entity)
                || relationship.entity.isKind(of: relationship.destination)
        else { return }
        let owners = wave.filter {
            !$0.flags.contains(.inserted) && isUnread($0, relationship, context)
        }
        guard !owners.isEmpty else { return }
        let ids = try context.readStore(isOneStatement: true) { reader in
            try reader.reached(by: relationship, from: owners.map(\.localID), limit: limit)
        }
        limit = min(limit * 2, Self.greatestLimit)
        let reached = try context.objects(listed: ids, of: relationship.destination)
        objects += reached
        guard relationship.storage == .inverseReference else { return }
        try context.loadMissing(
            relationship, of: reached.filter { $0.entity.isKind(of: relationship.entity) })
    }

    private func isUnread(
        _ object: ManagedObject, _ relationship: RelationshipDescription,
        _ context: ManagedObjectContext
    ) -> Bool {
        if let index = object.home.plan.relationIndex(of: relationship) {
            return object.relations?.states[index].members == nil
        }
        guard !object.slots.isEmpty, case .integer(let id) = object.slots[relationship.slot] else {
            return false
        }
        return context.held(id)?.flags.contains(.hasRow) != true
    }
}
