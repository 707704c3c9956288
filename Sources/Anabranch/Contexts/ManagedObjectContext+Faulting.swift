import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    private static let mostFaultsAtOnce = 256

    /// Makes a fault readable.
    ///
    /// Where its row is not there yet, the rows of other faults of its entity come with it. If
    /// the row is gone the object leaves the context as deleted.
    func realise(_ object: ManagedObject) throws {
        guard !object.flags.contains(.realised) else { return }
        if !object.flags.contains(.hasRow) { try loadRow(of: object) }
        guard object.flags.contains(.hasRow) else { return vanish(object) }
        object.realise()
    }

    private func loadRow(of object: ManagedObject) throws {
        var ids = [object.localID]
        var companions: [ManagedObject] = []
        let home = object.home
        while ids.count < Self.mostFaultsAtOnce, let id = home.faults.popLast() {
            guard let other = held(id), other !== object, other.home === home,
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
