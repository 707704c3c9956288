import AnabranchModel
import AnabranchReplication

extension ViewRules {
    /// Returns the visible records from which a view rule hides something that it did not hide when
    /// the transaction began: a reference that read its target, a value of a record that is now
    /// merged with another one, or a value beside another one under `keepBoth`.
    func takeHiding() throws -> [HidingRecord] {
        defer { hiding = [:] }
        let writes = try ObjectWritesReader(
            reader, replicas: transaction.replicas, logStamps: logStamps)
        var found: [HidingRecord] = []
        // Many records may show as one, which is asked once.
        var asked: Set<LocalID> = []
        for (id, entity) in hiding {
            let visible = try mapped(id)
            guard asked.insert(visible).inserted,
                let entity = try reader.entity(of: visible, in: entity.root),
                try writes.writes(of: visible, entity).hidesSomething
            else { continue }
            found.append(HidingRecord(id: visible, entity: entity))
        }
        return found.sorted { $0.id < $1.id }
    }
}
