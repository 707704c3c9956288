import AnabranchReplication

/// The predicate of an attribute's validation, resolved against the attribute's type.
///
/// It is resolved on a substitute entity that has one attribute for each operand of a rule: the
/// value, under the name of the real attribute; the length of a text; and a boolean for each
/// MATCHES. Comparisons in a rule therefore mean the same as comparisons of stored attributes.
struct ValuePredicate: Sendable {
    private let entity: EntityDescription
    private let predicate: ResolvedPredicate
    /// The regular expressions, one for each MATCHES.
    private let expressions: [WholeTextExpression]

    /// Resolves a validation.
    ///
    /// - Throws: ``FetchPredicateError`` if the predicate cannot be read, or cannot compare values
    ///   of the attribute's type.
    init(
        _ format: String, of attribute: Attribute, entity name: String
    ) throws(FetchPredicateError) {
        let isText = attribute.type == .string || attribute.type == .uri
        let parsed = try FetchPredicate(format: format, arguments: [])
        var matches = MatchExtraction(key: attribute.name, isText: isText, entity: name)
        let predicate = try matches.extract(
            from: ValueKeys(key: attribute.name, isText: isText).rewrite(parsed))
        expressions = matches.expressions
        var standIn = Entity(name)
        standIn.attributes = [Attribute(attribute.name, attribute.type)]
        if isText {
            standIn.attributes.append(
                Attribute(ValueKeys.length(of: attribute.name), .integer64))
            standIn.attributes += expressions.indices.map {
                Attribute(MatchExtraction.match($0, of: attribute.name), .boolean)
            }
        }
        entity = ModelGraph(ModelDeclaration(entities: [standIn])).entities[0]
        self.predicate = try predicate.resolved(for: entity)
    }

    /// Evaluates the predicate.
    ///
    /// - Parameter value: A value of the attribute's type, not null.
    func holds(for value: Value) -> Bool {
        let subject = ValueSubject(predicateEntity: entity, value: value, expressions: expressions)
        // The substitute never throws.
        return (try? predicate.evaluate(with: subject)) ?? false
    }
}

/// Replaces the keys of a rule by the attribute names of the substitute entity.
private struct ValueKeys: PredicateRewriting {
    let key: String
    let isText: Bool

    static func length(of key: String) -> String { key + ".length" }

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        switch form {
        case .evaluatedObject: .path(nil, [.key(key)])
        case .path(nil, [.key("length")]) where isText: .path(nil, [.key(Self.length(of: key))])
        case .path(nil, let steps): .path(nil, [.key(key)] + steps)
        default: nil
        }
    }
}

/// Replaces every MATCHES by an attribute of the substitute entity.
private struct MatchExtraction {
    let key: String
    let isText: Bool
    let entity: String
    private(set) var expressions: [WholeTextExpression] = []

    init(key: String, isText: Bool, entity: String) {
        self.key = key
        self.isText = isText
        self.entity = entity
    }

    static func match(_ number: Int, of key: String) -> String { "\(key) MATCHES \(number)" }

    mutating func extract(
        from predicate: FetchPredicate
    ) throws(FetchPredicateError) -> FetchPredicate {
        switch predicate {
        case .constant: return predicate
        case .conjunction(let parts): return .conjunction(try extract(from: parts))
        case .disjunction(let parts): return .disjunction(try extract(from: parts))
        case .negation(let inner): return .negation(try extract(from: inner))
        case .comparison(let comparison):
            guard comparison.operator == .matches else { return predicate }
            expressions.append(try expression(of: comparison))
            let match = FetchExpression(
                .path(nil, [.key(Self.match(expressions.count - 1, of: key))]))
            return .comparison(
                PredicateComparison(
                    match, .equal, FetchExpression(.constant(.value(.bool(true)))),
                    column: comparison.column))
        }
    }

    private mutating func extract(
        from parts: [FetchPredicate]
    ) throws(FetchPredicateError) -> [FetchPredicate] {
        var extracted: [FetchPredicate] = []
        for part in parts { extracted.append(try extract(from: part)) }
        return extracted
    }

    private func expression(
        of comparison: PredicateComparison
    ) throws(FetchPredicateError) -> WholeTextExpression {
        guard isText, comparison.left.form == .path(nil, [.key(key)]) else {
            throw error(
                .typeMismatch, comparison,
                "Can't compare '\(comparison.left)' with MATCHES because it is not text.")
        }
        guard comparison.quantifier == nil,
            case .constant(.value(.string(let pattern))) = comparison.right.form
        else {
            throw error(
                .notSupportedYet, comparison,
                "Can't compare with MATCHES but with one text that is written there.")
        }
        guard let expression = WholeTextExpression(pattern, options: comparison.options) else {
            throw error(
                .syntax, comparison, "Can't read the regular expression after MATCHES.")
        }
        return expression
    }

    private func error(
        _ code: FetchPredicateError.Code, _ comparison: PredicateComparison, _ message: String
    ) -> FetchPredicateError {
        FetchPredicateError(
            code, column: comparison.column.number, entity: entity, key: key, message)
    }
}

/// The substitute object, which offers a value to the predicate of a rule.
private struct ValueSubject: PredicateSubject {
    let predicateEntity: EntityDescription
    let value: Value
    let expressions: [WholeTextExpression]

    var predicateReference: PredicateObjectReference? { nil }

    func predicateValue(forKey key: String) -> PredicateOperand {
        predicateEntity.property(named: key).map(predicateValue) ?? .value(.null)
    }

    func predicateValue(of property: PropertyDescription) -> PredicateOperand {
        switch property.slot {
        case 0: .value(value)
        case 1: .value(.integer(Int64(value.text?.utf16.count ?? 0)))
        default: .value(.bool(expressions[property.slot - 2].matches(value.text ?? "")))
        }
    }
}
