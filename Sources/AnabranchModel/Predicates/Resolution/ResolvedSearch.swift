import AnabranchReplication

/// A search for words in texts of an object.
package struct ResolvedSearch: Hashable, Sendable {
    package let object: ObjectPath
    /// The searchable attributes that count, all of one table; never empty.
    package let attributes: [AttributeDescription]
    package let query: TextQuery
}

/// How a part of a text with the found words is shown.
package struct SnippetForm: Hashable, Sendable {
    /// The text before each found word.
    package let before: String
    /// The text behind each found word.
    package let after: String
    /// The text in place of what is left out at the beginning and the end.
    package let ellipsis: String
    /// The greatest number of words, from 1 to ``greatestWordCount``.
    package let wordCount: Int

    /// SQLite shows at most 64 words.
    package static let greatestWordCount = 64
}

extension EntityDescription {
    /// The attributes that can be searched for words, inherited ones included.
    package var searchableAttributes: [AttributeDescription] {
        attributes.filter { $0.search != nil }
    }
}

extension LeafComparison {
    /// Resolves MATCHES with the option `s`.
    func search(
        _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        guard comparison.operator == .matches, comparison.options == .search else {
            throw error(
                .notEvaluable,
                "Can't search with '\(comparison.operatorText)': the option s stands with "
                    + "MATCHES, and alone.")
        }
        let (object, attributes) = try searched(left)
        guard case .constant(let value) = try operand(right) else {
            throw error(
                .notEvaluable, at: comparison.right,
                "Can't search for '\(comparison.right)' because the query for words differs from "
                    + "object to object; give it as a text.")
        }
        guard let text = value.text else {
            guard value.isNull else {
                throw error(
                    .typeMismatch, at: comparison.right,
                    "Can't search for '\(comparison.right)' because it is not text.")
            }
            return .constant(false)
        }
        let query: TextQuery
        do {
            query = try TextQuery(text)
        } catch {
            throw self.error(error.code, at: comparison.right, error.message)
        }
        guard query.expression != nil else { return .constant(false) }
        return .search(ResolvedSearch(object: object, attributes: attributes, query: query))
    }

    private func searched(
        _ side: ResolverSide
    ) throws(FetchPredicateError) -> (ObjectPath, [AttributeDescription]) {
        guard case .path(let cursor) = side else { throw notSearchable(nil) }
        switch try cursor.end() {
        case .attribute(_, let attribute) where cursor.isHeldValue:
            throw error(
                .notSearchable, at: comparison.left, key: attribute.name,
                "Can't search the values that \(attribute) holds for words because the index has "
                    + "only the one that shows: search without ANY, ALL and NONE.")
        case .attribute(let path, let attribute):
            guard attribute.search != nil else {
                throw error(
                    .notSearchable, at: comparison.left, key: attribute.name,
                    "Can't search \(attribute) for words because it is not declared searchable: "
                        + "mark it with @Attribute(.searchable).")
            }
            return (path, [attribute])
        case .record(let path, let entity):
            let attributes = entity.searchableAttributes
            guard !attributes.isEmpty else {
                throw error(
                    .notSearchable, at: comparison.left,
                    "Can't search \(entity.name) for words because none of its attributes is "
                        + "declared searchable: mark some with @Attribute(.searchable).")
            }
            return (path, attributes)
        case .length, .entity: throw notSearchable(nil)
        case .collection(_, let relationship, _): throw notSearchable(relationship.name)
        }
    }

    private func notSearchable(_ key: String?) -> FetchPredicateError {
        error(
            .notSearchable, at: comparison.left, key: key,
            "Can't search '\(comparison.left)' for words because it is neither an attribute nor an "
                + "object.")
    }
}

// MARK: Relevance and snippets

extension PredicateResolver {
    /// Resolves `@relevance`, which a sort or a column may be.
    ///
    /// - Returns: `nil` for any other path.
    func relevance(
        _ root: FetchExpression?, _ steps: [PathStep], _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand? {
        guard root == nil, steps == [.collectionOperator("relevance")] else { return nil }
        try checkRanks("@relevance", expression)
        return .relevance
    }

    /// Resolves `snippet(body, '[', ']', '…', 16)`.
    func snippet(
        _ arguments: [FetchExpression], _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        try checkRanks("snippet", expression)
        guard case .attribute(let path, let attribute) = try operand(side(arguments[0])),
            path.scope == 0, path.steps.isEmpty, attribute.search != nil
        else {
            throw error(
                .notSearchable, arguments[0],
                "Can't show a snippet of '\(arguments[0])' because it is no searchable attribute "
                    + "of \(entity.name).")
        }
        var texts: [String] = []
        for argument in arguments[1...3] {
            guard let text = try operand(side(argument)).constant?.text else {
                throw error(
                    .typeMismatch, argument, "Can't mark words with '\(argument)': give a text.")
            }
            texts.append(text)
        }
        let counts = 1...SnippetForm.greatestWordCount
        guard case .integer(let count)? = try operand(side(arguments[4])).constant,
            counts.contains(Int(clamping: count))
        else {
            throw error(
                .invalidArgument, arguments[4],
                "Can't show a snippet of '\(arguments[4])' words: give a number from 1 to "
                    + "\(counts.upperBound).")
        }
        return .snippet(
            attribute,
            SnippetForm(
                before: texts[0], after: texts[1], ellipsis: texts[2], wordCount: Int(count)))
    }

    private func checkRanks(
        _ name: String, _ expression: FetchExpression
    ) throws(FetchPredicateError) {
        guard ranksObjects else {
            throw error(
                .notEvaluable, expression, key: name,
                "Can't compute \(name) here because only a search knows it: sort by it, or fetch "
                    + "it as a column.")
        }
    }
}
