import Anabranch

/// Reads texts as times in a predicate, if they are compared with a date attribute.
///
/// The predicate language writes a date only as `CAST(seconds, "NSDate")`, and the library never
/// reads a text as a date. On a command line every value is text.
struct DateConstants {
    private let entity: EntityDescription
    private let command: String
    /// The variables that SUBQUERY binds.
    private var variables: [String: EntityDescription] = [:]

    init(entity: EntityDescription, command: String) {
        self.entity = entity
        self.command = command
    }

    /// Rewrites a predicate.
    ///
    /// - Throws: ``UsageError`` for a text that is not a time.
    func reading(_ predicate: FetchPredicate) throws -> FetchPredicate {
        switch predicate {
        case .constant: return predicate
        case .conjunction(let parts): return .conjunction(try parts.map(reading))
        case .disjunction(let parts): return .disjunction(try parts.map(reading))
        case .negation(let inner): return .negation(try reading(inner))
        case .comparison(var comparison):
            let (left, right) = (comparison.left, comparison.right)
            comparison.left = try reading(left, against: right)
            comparison.right = try reading(right, against: left)
            return .comparison(comparison)
        }
    }

    private func reading(
        _ expression: FetchExpression, against other: FetchExpression
    ) throws -> FetchExpression {
        switch expression.form {
        case .constant(let constant)
        where property(at: other)?.attribute?.type == .date:
            return FetchExpression(.constant(try date(constant)), column: expression.column)
        case .aggregate(let elements):
            let read = try elements.map { try reading($0, against: other) }
            return FetchExpression(.aggregate(read), column: expression.column)
        case .path(let root?, let steps):
            guard case .subquery(let collection, let variable, let filter) = root.form else {
                return expression
            }
            var inner = self
            inner.variables[variable] =
                property(at: collection)?.relationship?.destination
            let form = FetchExpression.Form.subquery(
                collection, variable: variable, try inner.reading(filter))
            return FetchExpression(
                .path(FetchExpression(form, column: root.column), steps),
                column: expression.column)
        default: return expression
        }
    }

    private func date(_ constant: PredicateConstant) throws -> PredicateConstant {
        switch constant {
        case .value(.string(let text)):
            guard let seconds = TimeText.read(text) else {
                throw UsageError(
                    "'\(text)' is not \(ValueText.form(of: .date)), which the predicate compares "
                        + "it with.", command: command)
            }
            return .value(.date(seconds))
        case .collection(let elements): return .collection(try elements.map(date))
        case .value, .object, .fetch: return constant
        }
    }

    /// The property at the end of a key path.
    ///
    /// - Returns: `nil` for another expression, or for a path with an unknown key, which is
    ///   reported later.
    private func property(at expression: FetchExpression) -> PropertyDescription? {
        guard case .path(let root, let steps) = expression.form else { return nil }
        var current: EntityDescription? = entity
        if let root {
            guard case .variable(let name) = root.form else { return nil }
            current = variables[name]
        }
        var found: PropertyDescription?
        for step in steps {
            guard case .key(let key) = step, let property = current?.property(named: key) else {
                return nil
            }
            found = property
            current = property.relationship?.destination
        }
        return found
    }
}
