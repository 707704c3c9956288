import AnabranchModel
import AnabranchReplication

/// The check that every record has what only the new version of a model demands: the target of a
/// to-one that becomes mandatory, or a part of a unique key.
///
/// An attribute that becomes mandatory needs no check, because it shows its default in place of
/// null.
struct DemandCheck {
    /// The properties, all mandatory in the new version.
    let properties: [PropertyDescription]
    let path: String

    /// - Parameter reader: Reads the file under the new version.
    /// - Throws: `migrationNotInferred` with the records that lack a value.
    func run(_ reader: StoreReader) throws {
        for property in properties {
            var query = FetchQuery(entity: property.entity)
            query.predicate = try FetchPredicate("%K == nil", property.name)
                .resolved(for: property.entity)
            let records = try reader.identifiers(query)
            guard !records.isEmpty else { continue }
            throw refusal(property, records)
        }
    }

    private func refusal(_ property: PropertyDescription, _ records: [LocalID]) -> StoreError {
        let name = "\(property.entity.name).\(property.name)"
        return StoreError(
            .migrationNotInferred,
            "Can't migrate \(path) because \(records.count) records have no value of \(name), "
                + "which is mandatory in the new version. Set it with the old version, or make it "
                + "optional.", path: path, entity: property.entity.name, property: property.name,
            records: records)
    }
}
