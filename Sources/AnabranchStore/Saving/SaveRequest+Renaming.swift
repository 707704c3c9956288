import AnabranchModel
import AnabranchReplication

extension SaveRequest {
    /// The request with other IDs, also where records refer to each other.
    func renaming(_ renamed: [LocalID: LocalID]) -> SaveRequest {
        var request = self
        for index in request.inserts.indices {
            let slots = Self.referenceSlots(of: request.inserts[index].entity)
            for row in request.inserts[index].rows.indices {
                request.inserts[index].rows[row].id =
                    renamed[inserts[index].rows[row].id]
                    ?? inserts[index].rows[row].id
                Self.rename(slots, in: &request.inserts[index].rows[row].slots, by: renamed)
            }
        }
        for index in request.updates.indices {
            let slots = Self.referenceSlots(of: request.updates[index].entity)
            for row in request.updates[index].rows.indices {
                Self.rename(slots, in: &request.updates[index].rows[row].slots, by: renamed)
            }
        }
        for index in request.links.indices {
            request.links[index].owner = renamed[links[index].owner] ?? links[index].owner
            request.links[index].other = renamed[links[index].other] ?? links[index].other
        }
        return request
    }

    private static func referenceSlots(of entity: EntityDescription) -> [Int] {
        entity.relationships.filter { $0.storage == .reference }.map(\.slot)
    }

    private static func rename(
        _ references: [Int], in slots: inout [Value], by renamed: [LocalID: LocalID]
    ) {
        for slot in references {
            if case .integer(let id) = slots[slot], let new = renamed[id] {
                slots[slot] = .integer(new)
            }
        }
    }
}
