import Anabranch
import Foundation

/// A selector of one record, by its ID or by the value of an attribute.
///
/// - `anabranch://…/Country/12` or `1f2e3d4c/12`, with at least four digits of the replica;
/// - `alpha2=FR`.
struct RecordSelector {
    let text: String
    let command: String

    var isByAttribute: Bool { text.contains("=") && !text.contains("://") }

    /// The selected object.
    ///
    /// - Throws: ``CommandFailure`` with status 1 if there is none, if the record is merged into
    ///   another one, or if the text can mean more than one. ``UsageError`` if the text is not a
    ///   selector for the entity.
    func object(
        of entity: EntityDescription, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        if isByAttribute, let equals = text.firstIndex(of: "=") {
            return try object(
                of: entity, where: String(text[..<equals]),
                is: String(text[text.index(after: equals)...]), in: context)
        }
        guard let id = try objectID(of: entity, in: context.coordinator) else {
            throw CommandFailure(.failure, "There is no \(entity.name) \(text) in the store.")
        }
        if let object = try existing(id, in: context) { return object }
        if let visible = try context.survivingObjectID(of: id) {
            let shown = try RecordLabel(visible).short
            throw CommandFailure(
                .failure,
                "\(entity.name) \(text) is merged into \(visible.entity.name) \(shown), because "
                    + "both have one unique key. Name \(shown) instead.")
        }
        throw CommandFailure(.failure, "There is no \(entity.name) \(text) in the store.")
    }

    /// The object that shows the selected record.
    ///
    /// - Returns: The object, and the selected record if that is merged into the object's record.
    /// - Throws: The errors of ``object(of:in:)``.
    func shownObject(
        of entity: EntityDescription, in context: ManagedObjectContext
    ) throws -> (object: ManagedObject, merged: RecordID?) {
        guard !isByAttribute, let id = try objectID(of: entity, in: context.coordinator),
            let visible = try context.survivingObjectID(of: id),
            let object = try existing(visible, in: context)
        else { return (try self.object(of: entity, in: context), nil) }
        return (object, try id.recordID)
    }

    private func existing(
        _ id: ManagedObjectID, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
        do {
            return try context.existingObject(with: id)
        } catch let error as PropertyError where error.code == .inaccessible {
            return nil
        }
    }

    private func object(
        of entity: EntityDescription, where key: String, is text: String,
        in context: ManagedObjectContext
    ) throws -> ManagedObject {
        guard let property = entity.property(named: key) else {
            throw EntityNames.unknown(key, of: entity, command: command)
        }
        guard let attribute = property.attribute,
            let value = ValueText.read(text, as: attribute.type)
        else {
            let form =
                property.attribute.map { ValueText.form(of: $0.type) } ?? "an attribute's value"
            throw UsageError(
                "'\(self.text)' selects no \(entity.name) because \(key) takes \(form).",
                command: command)
        }
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        request.predicate = try FetchPredicate("%K == %@", key, value)
        request.fetchLimit = 2
        let found = try context.fetch(request)
        guard let object = found.first else {
            throw CommandFailure(.failure, "There is no \(entity.name) with \(self.text).")
        }
        guard found.count == 1 else {
            throw CommandFailure(
                .failure,
                "More than one \(entity.name) has \(self.text). Name one by its ID; "
                    + "'anabranch fetch' shows it.")
        }
        return object
    }

    private func objectID(
        of entity: EntityDescription, in coordinator: PersistentStoreCoordinator
    ) throws -> ManagedObjectID? {
        if let uri = URL(string: text), uri.scheme == "anabranch" {
            return try coordinator.managedObjectID(forURIRepresentation: uri)
        }
        return try shortRecordID(in: coordinator).flatMap {
            try coordinator.managedObjectID(for: $0, entity: entity)
        }
    }

    /// The identity that an ID names, even if there is no such record.
    ///
    /// - Returns: `nil` if the store does not know the replica.
    ///
    /// - Throws: ``UsageError`` if the text is not an ID.
    func recordID(in coordinator: PersistentStoreCoordinator) throws -> RecordID? {
        if let uri = URL(string: text), uri.scheme == "anabranch" {
            return try coordinator.managedObjectID(forURIRepresentation: uri)?.recordID
        }
        return try shortRecordID(in: coordinator)
    }

    private func shortRecordID(in coordinator: PersistentStoreCoordinator) throws -> RecordID? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count >= 4, let number = UInt64(parts[1]),
            (1...Limits.greatestRecordNumber).contains(number)
        else {
            throw UsageError(
                "'\(text)' is not the name of a record. Type an ID, such as 1f2e3d4c/12, or "
                    + "attribute=value.",
                command: command)
        }
        let prefix = parts[0].lowercased()
        var replicas = Set(try coordinator.versionVector().heads.map(\.replica))
        replicas.insert(try coordinator.replicaID)
        let matching = replicas.filter { $0.description.hasPrefix(prefix) }
        guard let replica = matching.first else { return nil }
        guard matching.count == 1 else {
            throw CommandFailure(
                .failure, "The IDs of several replicas begin with \(prefix). Type more digits.")
        }
        return RecordID(replica: replica, number: number)
    }
}
