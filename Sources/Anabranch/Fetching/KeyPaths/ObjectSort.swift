public import AnabranchModel

/// A sort key with a direction and options, as the value of a key path.
///
/// A sort key is a key path, so that plain ones need no more than `\.name`. One with a direction
/// is a key path to this value.
struct ObjectSort: Hashable {
    let property: AnyKeyPath
    let isAscending: Bool
    let options: ComparisonOptions
}

extension ManagedObject {
    /// The sort key itself; it serves to make a key path of it.
    fileprivate subscript(sort sort: ObjectSort) -> ObjectSort { sort }
}

extension PartialKeyPath where Root: ManagedObject {
    /// A sort key by which smaller values come first.
    ///
    /// - Parameter options: Such as `.localizedStandard`, for the order that people expect.
    public static func forward<Value>(
        _ property: KeyPath<Root, Value>, _ options: ComparisonOptions = []
    ) -> PartialKeyPath<Root> {
        \Root.[sort: ObjectSort(property: property, isAscending: true, options: options)]
    }

    /// A sort key by which greater values come first, and missing ones last.
    ///
    /// - Parameter options: Such as `.localizedStandard`, for the order that people expect.
    public static func reverse<Value>(
        _ property: KeyPath<Root, Value>, _ options: ComparisonOptions = []
    ) -> PartialKeyPath<Root> {
        \Root.[sort: ObjectSort(property: property, isAscending: false, options: options)]
    }
}

extension FetchSort {
    /// The sort key of a key path: of `\.name`, which sorts in ascending order, or of `.forward` or
    /// `.reverse`.
    ///
    /// - Throws: ``FetchPredicateError`` with code `notAProperty` for a key path that is not a
    ///   chain of stored properties.
    public init<Object: ManagedObject>(
        _ keyPath: PartialKeyPath<Object>
    ) throws(FetchPredicateError) {
        // A key path that is known to read a property has no direction and no options.
        if let known = KnownPropertyPaths.path(of: keyPath, Object.self) {
            self.init(known.name)
            return
        }
        if let relevance = FetchSort.relevance(keyPath) {
            self = relevance
            return
        }
        let sort = (keyPath as? KeyPath<Object, ObjectSort>).flatMap { keyPath in
            PropertyProbe.apply(keyPath, to: Object.self) { _, result in result as? ObjectSort }
        }
        let path = try PropertyPath(sort??.property ?? keyPath, of: Object.self)
        self.init(path.name, ascending: sort??.isAscending ?? true, options: sort??.options ?? [])
    }

    /// The sort keys of key paths.
    static func keys<Object: ManagedObject>(
        _ keyPaths: [PartialKeyPath<Object>]
    ) throws(FetchPredicateError) -> [FetchSort] {
        var sorts: [FetchSort] = []
        for keyPath in keyPaths { sorts.append(try FetchSort(keyPath)) }
        return sorts
    }
}
