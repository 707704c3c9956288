import AnabranchModel

extension ObjectPredicate {
    /// Holds if a search for words finds the object by any of its attributes that are declared
    /// `.searchable`.
    ///
    /// ```swift
    /// let found = try context.fetch(
    ///     FetchRequest<Article>(where: .search("swift sync*"), sortedBy: .relevance))
    /// ```
    ///
    /// - Parameter query: Words, as `TextQuery` describes them.
    public static func search(_ query: String) -> ObjectPredicate {
        ObjectPredicate {
            .comparison(
                PredicateComparison(
                    FetchExpression(.evaluatedObject), .matches, query.predicateExpression,
                    options: .search))
        }
    }
}

/// The place of an object in the order of relevance; it serves to make a key path of it.
struct RelevanceSort: Hashable {
    let isAscending: Bool
}

extension ManagedObject {
    fileprivate subscript(relevance sort: RelevanceSort) -> RelevanceSort { sort }
}

extension PartialKeyPath where Root: ManagedObject {
    /// A sort key by which the objects come first that fit best to the search in the predicate.
    ///
    /// The more often the words are in an object's texts, the rarer they are in all texts, and the
    /// shorter its texts, the better it fits (BM25). Objects with unsaved changes come before all
    /// others.
    public static var relevance: PartialKeyPath<Root> {
        \Root.[relevance: RelevanceSort(isAscending: false)]
    }
}

extension FetchSort {
    /// The sort key of `.relevance`; `nil` for any other key path.
    static func relevance<Object: ManagedObject>(_ keyPath: PartialKeyPath<Object>) -> FetchSort? {
        guard let keyPath = keyPath as? KeyPath<Object, RelevanceSort> else { return nil }
        let sort = PropertyProbe.apply(keyPath, to: Object.self) { _, result in
            result as? RelevanceSort
        }
        return FetchSort("@relevance", ascending: sort??.isAscending ?? false)
    }
}
