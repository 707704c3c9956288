public import AnabranchModel

/// A column of rows of one class, written with Swift key paths.
///
/// ```swift
/// let request = try RowRequest<Person>([.property(\.name), .sum(\.age, as: "years"), "city"])
/// ```
///
/// It becomes a ``FetchColumn`` by `FetchColumn(_:)`. A text literal is the column of the property
/// with that key path.
public struct ObjectColumn<Object: ManagedObject>: Sendable {
    /// The column, or the reason why its key path has no meaning for a store.
    let content: Result<FetchColumn, FetchPredicateError>

    private init(_ make: () throws(FetchPredicateError) -> FetchColumn) {
        content = Result(catching: make)
    }

    /// A column that is at hand, such as an expression of the predicate language.
    public static func column(_ column: FetchColumn) -> ObjectColumn { ObjectColumn { column } }

    /// The value of an attribute, or the ID of the object at the end of a to-one relationship.
    ///
    /// - Parameter name: The name of the column; `nil` for the names of the properties.
    public static func property(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) -> ObjectColumn {
        ObjectColumn { () throws(FetchPredicateError) in try .property(keyPath, as: name) }
    }

    /// A computed value, such as `(\Note.date).year(in: .current)`.
    public static func value<Value>(
        _ expression: ObjectExpression<Object, Value>, as name: String
    ) -> ObjectColumn {
        ObjectColumn { () throws(FetchPredicateError) in
            FetchColumn(try expression.content.get(), as: name)
        }
    }

    /// The number of rows of a group.
    public static func count(as name: String = "count") -> ObjectColumn {
        .column(.count(as: name))
    }

    /// The number of rows of a group that have a value.
    ///
    /// - Parameter isDistinct: True if equal values count once.
    public static func count(
        _ keyPath: PartialKeyPath<Object>, distinct isDistinct: Bool = false,
        as name: String? = nil
    ) -> ObjectColumn {
        ObjectColumn { () throws(FetchPredicateError) in
            try .count(keyPath, distinct: isDistinct, as: name)
        }
    }

    /// The sum of the values of a group; 0 without values.
    public static func sum(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) -> ObjectColumn {
        ObjectColumn { () throws(FetchPredicateError) in try .sum(keyPath, as: name) }
    }

    /// The mean of the values of a group.
    public static func average(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) -> ObjectColumn {
        ObjectColumn { () throws(FetchPredicateError) in try .average(keyPath, as: name) }
    }

    /// The least value of a group.
    public static func minimum(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) -> ObjectColumn {
        ObjectColumn { () throws(FetchPredicateError) in try .minimum(keyPath, as: name) }
    }

    /// The greatest value of a group.
    public static func maximum(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) -> ObjectColumn {
        ObjectColumn { () throws(FetchPredicateError) in try .maximum(keyPath, as: name) }
    }

    /// The relevance of an object to the search in the request's predicate. Greater is better.
    public static func relevance(as name: String = "relevance") -> ObjectColumn {
        .column(.relevance(as: name))
    }

    /// The part of a searchable attribute's text with most of the words that the search in the
    /// request's predicate has found.
    ///
    /// - Parameters:
    ///   - before: The text before each of these words.
    ///   - after: The text behind each of these words.
    ///   - ellipsis: The text in place of what is left out.
    ///   - wordCount: The greatest number of words, from 1 to `SnippetForm.greatestWordCount`.
    public static func snippet(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil, before: String = "[",
        after: String = "]", ellipsis: String = "…", wordCount: Int = 16
    ) -> ObjectColumn {
        ObjectColumn { () throws(FetchPredicateError) in
            try .snippet(
                keyPath, as: name, before: before, after: after, ellipsis: ellipsis,
                wordCount: wordCount)
        }
    }
}

extension ObjectColumn: ExpressibleByStringLiteral {
    /// Creates the column of a property from its key path.
    public init(stringLiteral keyPath: String) { self = .column(.property(keyPath)) }
}

extension FetchColumn {
    /// The column that was written with a Swift key path.
    ///
    /// - Throws: `FetchPredicateError` with code `notAProperty` for a key path that is not a chain
    ///   of stored properties.
    public init<Object: ManagedObject>(
        _ column: ObjectColumn<Object>
    ) throws(FetchPredicateError) { self = try column.content.get() }

    static func all<Object: ManagedObject>(
        _ columns: [ObjectColumn<Object>]
    ) throws(FetchPredicateError) -> [FetchColumn] {
        var all: [FetchColumn] = []
        for column in columns { all.append(try FetchColumn(column)) }
        return all
    }
}
