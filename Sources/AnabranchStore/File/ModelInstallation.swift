import AnabranchModel
import AnabranchSQLite

extension Connection {
    /// Writes a model into a file that has none of its tables: the tables and indexes, the numbers
    /// of its entities and properties, and the model itself.
    ///
    /// - Parameter hasIndexes: False if the caller creates the indexes when the tables are full,
    ///   which takes less time than to keep them in order row by row.
    func install(_ model: ManagedObjectModel, hasIndexes: Bool = true) throws -> StoreSchema {
        let numbers = SchemaNumbers(numbering: model, keeping: try SchemaNumbers.read(self))
        try numbers.write(self)
        let schema = StoreSchema(model, numbers: numbers)
        for sql in schema.tableCreation { try execute(sql) }
        if hasIndexes { try createIndexes(schema) }
        try writeModel(model)
        return schema
    }

    func createIndexes(_ schema: StoreSchema) throws {
        for index in schema.indexes { try execute(index.creation) }
        for table in schema.searchTables { try run(table.creation) }
    }

    /// Runs statements without parameters and results.
    func run(_ statements: [String]) throws {
        for statement in statements { try execute(statement) }
    }

    /// Replaces the model by which a program opens the file without one of its own.
    func writeModel(_ model: ManagedObjectModel) throws {
        try setMeta("model", model.canonicalEncoding)
    }
}
