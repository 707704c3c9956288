import AnabranchReplication

extension FetchPredicate {
    /// Returns a predicate in which every FETCH of a given request is replaced by its result.
    ///
    /// - Parameter run: Returns the objects that a request finds, or their number if its second
    ///   argument is true.
    /// - Throws: The first error of `run`.
    package func replacingFetches(
        _ run: (PredicateFetch, Bool) throws -> PredicateConstant
    ) throws -> FetchPredicate {
        guard mayFetch else { return self }
        return try withoutActuallyEscaping(run) { run in
            let replacement = FetchReplacement(run)
            let predicate = replacement.rewrite(self)
            if let error = replacement.error { throw error }
            return predicate
        }
    }

    /// False for comparisons of key paths and constants, of which most predicates consist.
    private var mayFetch: Bool {
        switch self {
        case .constant: false
        case .conjunction(let parts), .disjunction(let parts): parts.contains { $0.mayFetch }
        case .negation(let inner): inner.mayFetch
        case .comparison(let comparison): comparison.left.mayFetch || comparison.right.mayFetch
        }
    }
}

extension FetchExpression {
    fileprivate var mayFetch: Bool {
        switch form {
        case .constant, .evaluatedObject, .variable: false
        case .path(nil, let steps): !steps.allSatisfy(\.isKey)
        default: true
        }
    }
}

private final class FetchReplacement: PredicateRewriting {
    private let run: (PredicateFetch, Bool) throws -> PredicateConstant
    private(set) var error: (any Error)?

    init(_ run: @escaping (PredicateFetch, Bool) throws -> PredicateConstant) { self.run = run }

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        guard error == nil, case .fetch(let request, let context, let count) = form,
            case .constant(.fetch(let fetch)) = request.form,
            case .constant(.value(.null)) = context.form,
            case .constant(.value(.integer(let isCount))) = count.form
        else { return nil }
        do {
            return .constant(try run(fetch, isCount != 0))
        } catch {
            self.error = error
            return nil
        }
    }
}
