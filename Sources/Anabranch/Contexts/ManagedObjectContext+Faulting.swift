import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    private static let mostFaultsAtOnce = 256

    /// Makes a fault readable.
    ///
    /// Where its row is not there yet, the rows of other faults of its entity come with it. If
    /// the row is gone the object leaves the context as deleted.
    ///
    /// - Throws: ``StoreError``; ``PropertyError`` where the row is gone and the context's settings
    ///   do not let such an object become deleted.
    func realise(_ object: ManagedObject) throws {
        guard try !object.isRealised(in: self) else { return }
        let isDeleted = shouldHandleInaccessibleFault?(object) ?? shouldDeleteInaccessibleFaults
        guard isDeleted else { throw PropertyError(inaccessible: object) }
        vanish(object)
    }

    /// Gets the row of a fault; there is none where it is gone.
    fileprivate func loadRow(of object: ManagedObject) throws {
        var ids = [object.localID]
        var companions: [ManagedObject] = []
        let home = object.home
        var seen: Set<LocalID> = [object.localID]
        while ids.count < Self.mostFaultsAtOnce, let id = home.takeLastFault() {
            guard let other = held(id), other.home === home, seen.insert(id).inserted,
                other.flags.isDisjoint(with: [.hasRow, .inserted])
            else { continue }
            companions.append(other)
            ids.append(id)
        }
        try readRows(of: object.entity, ids: ids.sorted()) { row in
            if row.id == object.localID {
                adopt(row, by: object)
            } else if let other = held(row.id) {
                adopt(row, by: other)
            }
        }
        keepAlive(companions)
    }

    /// Holds objects until here.
    func keepAlive(_ objects: [ManagedObject]) { withExtendedLifetime(objects) {} }
}

extension ManagedObject {
    /// Makes a fault readable where its row is there.
    ///
    /// - Returns: `false` where the row is gone: the object is as it was.
    final func isRealised(in context: ManagedObjectContext) throws -> Bool {
        if flags.contains(.realised) { return true }
        if !flags.contains(.hasRow) { try context.loadRow(of: self) }
        guard flags.contains(.hasRow) else { return false }
        realise()
        return true
    }
}

extension PropertyError {
    init(inaccessible object: ManagedObject) {
        self.init(
            .inaccessible,
            "Can't read \(object.objectID) because its row is gone; somebody else has deleted it.",
            objectID: object.objectID)
    }
}
