import AnabranchSQLite

extension Store {
    /// A value that belongs to the file, such as the server that it syncs with.
    package func metadata(_ key: String) throws -> [UInt8]? {
        try read { try $0.connection.meta(key) }
    }

    /// Sets a value that belongs to the file.
    ///
    /// - Parameter bytes: The value; `nil` removes it.
    package func setMetadata(_ key: String, _ bytes: [UInt8]?) throws {
        try setMetadata([key: bytes])
    }

    /// Sets all values or, if this throws, none.
    package func setMetadata(_ values: [String: [UInt8]?]) throws {
        try write(in: WriteTransaction.self) { transaction in
            for (key, bytes) in values { try transaction.connection.setMeta(key, bytes) }
        }
    }
}
