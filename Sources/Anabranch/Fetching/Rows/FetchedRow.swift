import AnabranchModel
public import AnabranchReplication

/// One row of values that a ``RowRequest`` finds.
public struct FetchedRow: Sendable {
    /// The content of one column.
    package enum Content: Hashable, Sendable {
        /// A value; `null` also for a missing object.
        case value(PropertyValue)
        /// The ID of an object.
        case object(ManagedObjectID)
    }

    /// The columns, which all rows of a result share.
    let columns: RowColumns
    /// The contents of the columns, in the order of ``names``.
    package let contents: [Content]

    /// The names of the columns, in the order of the request.
    public var names: [String] { columns.names }

    /// Returns the value of a column, which is `null` if it has none.
    ///
    /// - Throws: ``PropertyError`` for a name that is not that of a column of values.
    public func value(forKey name: String) throws(PropertyError) -> PropertyValue {
        guard case .value(let value) = try content(named: name) else {
            throw columns.error(
                .wrongKind,
                "Can't read the column '\(name)' as a value because it holds objects; read their "
                    + "IDs with objectID(forKey:).", name)
        }
        return value
    }

    /// Returns the value of a column as a Swift type.
    ///
    /// - Throws: ``PropertyError`` for a name that is not that of a column of values, and with code
    ///   `wrongType` if the type can't hold the value, for example null in a type that is not
    ///   optional.
    public func value<T: AttributeValue>(
        forKey name: String, as type: T.Type = T.self
    ) throws(PropertyError) -> T {
        let value = try value(forKey: name)
        guard let result = T.reading(value) else {
            throw columns.error(
                .wrongType,
                "Can't read the column '\(name)' as \(T.self) because it is \(value).", name)
        }
        return result
    }

    /// Returns the ID of the object in a column; `nil` if there is none.
    ///
    /// - Throws: ``PropertyError`` for a name that is not that of a column of objects.
    public func objectID(forKey name: String) throws(PropertyError) -> ManagedObjectID? {
        switch try content(named: name) {
        case .object(let id): return id
        case .value(.null) where columns.areObjects[columns.places[name] ?? 0]: return nil
        case .value:
            throw columns.error(
                .wrongKind,
                "Can't read an object from the column '\(name)' because it holds values.", name)
        }
    }

    /// The value of a column as a Swift type; `nil` if it is missing, or if the column does not
    /// exist or has another type.
    public subscript<T: AttributeValue>(name: String) -> T? {
        guard let place = columns.places[name], case .value(let value) = contents[place],
            !value.isNull
        else { return nil }
        return T.reading(value)
    }

    private func content(named name: String) throws(PropertyError) -> Content {
        guard let place = columns.places[name] else {
            throw columns.error(
                .unknownProperty,
                "Can't read the column '\(name)' because the rows have no such column: they have "
                    + names.joined(separator: ", ") + ".", name)
        }
        return contents[place]
    }
}

extension FetchedRow: Hashable {
    /// Returns true if both rows have the same values in columns of the same names.
    public static func == (left: FetchedRow, right: FetchedRow) -> Bool {
        left.contents == right.contents && left.names == right.names
    }

    /// Hashes the values.
    public func hash(into hasher: inout Hasher) { hasher.combine(contents) }
}

extension FetchedRow: CustomStringConvertible {
    /// The names and values, such as `name: 'Ada', age: 36`.
    public var description: String {
        zip(names, contents).map { name, content in
            switch content {
            case .value(let value): "\(name): \(value)"
            case .object(let id): "\(name): \(id)"
            }
        }.joined(separator: ", ")
    }
}

/// The columns of all rows of a result.
final class RowColumns: Sendable {
    let entityName: String
    let names: [String]
    /// For each column, true if it holds objects.
    let areObjects: [Bool]
    let places: [String: Int]

    init(_ rows: ResolvedRows, of entity: EntityDescription) {
        entityName = entity.name
        names = rows.columns.map(\.name)
        areObjects = rows.columns.map { $0.entity != nil }
        places = Dictionary(
            zip(names, names.indices).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    }

    func error(_ code: PropertyError.Code, _ message: String, _ name: String) -> PropertyError {
        PropertyError(code, message, entity: entityName, property: name)
    }
}
