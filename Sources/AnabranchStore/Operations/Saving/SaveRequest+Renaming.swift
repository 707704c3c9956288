import AnabranchModel

extension SaveRequest {
    /// The request with other IDs, including references between records.
    func renaming(_ renamed: [LocalID: LocalID]) -> SaveRequest {
        var request = self
        for (index, insert) in inserts.enumerated() {
            request.inserts[index].rows = insert.rows.renaming(
                renamed, references: Self.referenceSlots(of: insert.entity))
        }
        for (index, update) in updates.enumerated() {
            request.updates[index].rows = update.rows.renaming(
                renamed, references: Self.referenceSlots(of: update.entity))
        }
        for (index, link) in links.enumerated() {
            request.links[index].owner = renamed[link.owner] ?? link.owner
            request.links[index].other = renamed[link.other] ?? link.other
        }
        for (index, list) in lists.enumerated() {
            request.lists[index].owner = renamed[list.owner] ?? list.owner
            request.lists[index].order = list.order.map { renamed[$0] ?? $0 }
            request.lists[index].placed = Set(list.placed.map { renamed[$0] ?? $0 })
        }
        request.carriedGroups = Dictionary(
            carriedGroups.map { (renamed[$0] ?? $0, $1) }, uniquingKeysWith: { _, last in last })
        return request
    }

    private static func referenceSlots(of entity: EntityDescription) -> Set<Int> {
        Set(entity.relationships.filter { $0.storage == .reference }.map(\.slot))
    }
}
