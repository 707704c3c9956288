package import AnabranchModel

// Each of these throws `FetchPredicateError` with code `notAProperty` for a key path that is not a
// chain of stored properties.
extension FetchColumn {
    /// The value of an attribute, or the ID of the object at the end of a to-one relationship.
    ///
    /// - Parameter name: The name of the column; `nil` for the names of the properties.
    package static func property<Object: ManagedObject>(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) throws(FetchPredicateError) -> FetchColumn {
        .property(try PropertyPath(keyPath, of: Object.self).name, as: name)
    }

    /// The number of rows of a group that have a value.
    ///
    /// - Parameter isDistinct: True if equal values count once.
    package static func count<Object: ManagedObject>(
        _ keyPath: PartialKeyPath<Object>, distinct isDistinct: Bool = false,
        as name: String? = nil
    ) throws(FetchPredicateError) -> FetchColumn {
        .count(try PropertyPath(keyPath, of: Object.self).name, distinct: isDistinct, as: name)
    }

    /// The sum of the values of a group; 0 without values.
    package static func sum<Object: ManagedObject>(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) throws(FetchPredicateError) -> FetchColumn {
        .sum(try PropertyPath(keyPath, of: Object.self).name, as: name)
    }

    /// The mean of the values of a group.
    package static func average<Object: ManagedObject>(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) throws(FetchPredicateError) -> FetchColumn {
        .average(try PropertyPath(keyPath, of: Object.self).name, as: name)
    }

    /// The least value of a group.
    package static func minimum<Object: ManagedObject>(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) throws(FetchPredicateError) -> FetchColumn {
        .minimum(try PropertyPath(keyPath, of: Object.self).name, as: name)
    }

    /// The part of a searchable attribute's text with most of the words that the search in the
    /// request's predicate has found.
    package static func snippet<Object: ManagedObject>(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil, before: String = "[",
        after: String = "]", ellipsis: String = "…", wordCount: Int = 16
    ) throws(FetchPredicateError) -> FetchColumn {
        .snippet(
            try PropertyPath(keyPath, of: Object.self).name, as: name, before: before,
            after: after, ellipsis: ellipsis, wordCount: wordCount)
    }

    /// The greatest value of a group.
    package static func maximum<Object: ManagedObject>(
        _ keyPath: PartialKeyPath<Object>, as name: String? = nil
    ) throws(FetchPredicateError) -> FetchColumn {
        .maximum(try PropertyPath(keyPath, of: Object.self).name, as: name)
    }
}

extension PropertyPath {
    /// The names with points between them; `SELF` for the object itself.
    var name: String { keys.isEmpty ? "SELF" : keys.joined(separator: ".") }
}
