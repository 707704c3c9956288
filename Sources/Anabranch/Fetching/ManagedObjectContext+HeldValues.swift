import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Reads the values that an attribute under `keepBoth` holds for an object, and that no unsaved
    /// edit of it replaces. The value that the object shows may be among them.
    func readHeldValues(
        of attribute: AttributeDescription, in object: ManagedObject
    ) throws -> [PropertyValue] {
        let (id, entity) = (object.localID, object.entity)
        let isEdited = object.isChangedSinceCommit(attribute.slot)
        let seen = overlaidEdits.seenVersions(of: object)[attribute.slot]
        guard !isEdited || seen != nil else { return [] }
        switch source {
        case .parent(let parent) where !isEdited:
            return try parent.onQueue { context in
                try context.objects([id], of: entity).first?
                    .predicateValues(of: attribute) ?? []
            }
        case .parent, .store:
            return try readStore {
                try $0.heldValues(of: attribute, id, entity, after: isEdited ? seen : nil)
            }
        }
    }
}
