import AnabranchModel
import AnabranchSQLite

extension Connection {
    /// Writes a model into a file that has none of its tables: the tables and indexes, the numbers
    /// of its entities and properties, and the model itself.
    func install(_ model: ManagedObjectModel) throws -> StoreSchema {
        let numbers = SchemaNumbers(
            numbering: model, keeping: try SchemaNumbers.read(self))
        try numbers.write(self)
        let schema = StoreSchema(model, numbers: numbers)
        for sql in schema.creation { try execute(sql) }
        try writeModel(model)
        return schema
    }

    /// Replaces the model by which a program opens the file without one of its own.
    func writeModel(_ model: ManagedObjectModel) throws {
        try run(
            "INSERT OR REPLACE INTO ab_meta (key, value) VALUES ('model', ?)",
            .blob(model.canonicalEncoding))
    }
}
