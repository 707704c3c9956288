import AnabranchReplication

/// The predicate of a fetched property, in which `$FETCH_SOURCE` has no value yet.
package struct FetchSourcePredicate {
    private let template: FetchPredicate
    /// The paths from `$FETCH_SOURCE` in the predicate. An empty path is the object itself.
    package let paths: [[String]]

    private static let source = "FETCH_SOURCE"
    private static let property = "FETCHED_PROPERTY"

    /// Reads the predicate of a property, and gives `$FETCHED_PROPERTY.userInfo` its values.
    ///
    /// - Throws: ``FetchPredicateError``, which the check of the model has thrown before.
    package init(_ property: FetchedProperty) throws(FetchPredicateError) {
        let predicate: FetchPredicate =
            if let format = property.predicateFormat {
                try FetchPredicate(format: format, arguments: [])
            } else {
                .true
            }
        template = VariablePaths(variable: Self.property) { keys in
            guard keys.first == "userInfo" else { return nil }
            let text = property.userInfo[keys.dropFirst().joined(separator: ".")]
            return .constant(.value(text.map(PropertyValue.string) ?? .null))
        }.rewrite(predicate)
        let found = FoundPaths()
        _ = VariablePaths(variable: Self.source) { path in
            if !found.paths.contains(path) { found.paths.append(path) }
            return nil
        }.rewrite(template)
        paths = found.paths
    }

    /// Returns the predicate for one object.
    ///
    /// - Parameter values: The value at the end of each of ``paths``.
    package func substituting(_ values: [[String]: FetchExpression]) -> FetchPredicate {
        VariablePaths(variable: Self.source) { values[$0]?.form }.rewrite(template)
    }
}

private final class FoundPaths {
    var paths: [[String]] = []
}

/// Replaces a variable and the paths of keys from it.
private struct VariablePaths: PredicateRewriting {
    let variable: String
    let replacing: ([String]) -> FetchExpression.Form?

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        switch form {
        case .variable(variable): return replacing([])
        case .path(let root?, let steps):
            let keys = steps.compactMap { step in
                if case .key(let key) = step { key } else { nil }
            }
            guard keys.count == steps.count, root.form == .variable(variable) else { return nil }
            return replacing(keys)
        default: return nil
        }
    }
}
