import AnabranchReplication

/// Writes archived predicates and expressions in the predicate language.
///
/// The result is `nil` for a form that the language of this project lacks or that cannot be
/// archived in a model. Nesting is limited, because an archive may contain itself.
enum ArchivedPredicate {
    private static let deepestNesting = 64

    static func text(_ predicate: ArchivedObject, depth: Int = 0) -> String? {
        guard depth < deepestNesting else { return nil }
        switch predicate.className {
        case "NSTruePredicate": return "TRUEPREDICATE"
        case "NSFalsePredicate": return "FALSEPREDICATE"
        case "NSCompoundPredicate": return compound(predicate, depth)
        case "NSComparisonPredicate": return comparison(predicate, depth)
        default: return nil
        }
    }

    private static func compound(_ predicate: ArchivedObject, _ depth: Int) -> String? {
        let parts = predicate.elements("NSSubpredicates").map {
            $0.object.flatMap { text($0, depth: depth + 1) }
        }
        let texts = parts.compactMap { $0 }
        guard texts.count == parts.count else { return nil }
        switch predicate.integer("NSCompoundPredicateType") {
        case 0 where texts.count == 1: return "NOT (\(texts[0]))"
        case 1:
            return texts.isEmpty
                ? "TRUEPREDICATE" : texts.map { "(\($0))" }.joined(separator: " AND ")
        case 2:
            return texts.isEmpty
                ? "FALSEPREDICATE" : texts.map { "(\($0))" }.joined(separator: " OR ")
        default: return nil
        }
    }

    private static let operators: [Int64: String] = [
        0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE",
        8: "BEGINSWITH", 9: "ENDSWITH", 10: "IN", 99: "CONTAINS", 100: "BETWEEN",
    ]

    private static func comparison(_ predicate: ArchivedObject, _ depth: Int) -> String? {
        guard let form = predicate.object("NSPredicateOperator"),
            let name = form.integer("NSOperatorType").flatMap({ operators[$0] }),
            let left = predicate.object("NSLeftExpression").flatMap({
                expression($0, depth: depth + 1)
            }),
            let right = predicate.object("NSRightExpression").flatMap({
                expression($0, depth: depth + 1)
            }),
            let modifier = modifier(form.integer("NSModifier") ?? 0)
        else { return nil }
        // Text operators archive their options as flags, the others as options.
        let options = (form.integer("NSFlags") ?? form.integer("NSOptions") ?? 0)
        let marks = (options & 1 != 0 ? "c" : "") + (options & 2 != 0 ? "d" : "")
        return "\(modifier)\(left) \(name)\(marks.isEmpty ? "" : "[\(marks)]") \(right)"
    }

    private static func modifier(_ number: Int64) -> String? {
        switch number {
        case 0: ""
        case 1: "ALL "
        case 2: "ANY "
        default: nil
        }
    }

    /// Writes an expression; also the form of a derived attribute.
    static func expression(_ expression: ArchivedObject, depth: Int = 0) -> String? {
        guard depth < deepestNesting else { return nil }
        switch expression.className {
        case "NSSelfExpression": return "SELF"
        case "NSVariableExpression": return expression.text("NSVariable").map { "$\($0)" }
        case "NSKeyPathSpecifierExpression": return expression.text("NSKeyPath")
        case "NSConstantValueExpression": return constant(expression["NSConstantValue"])
        case "NSAggregateExpression": return aggregate(expression, depth)
        case "NSKeyPathExpression": return keyPath(expression, depth)
        case "NSFunctionExpression": return function(expression, depth)
        default: return nil
        }
    }

    private static func keyPath(_ expression: ArchivedObject, _ depth: Int) -> String? {
        guard let path = expression.elements("NSArguments").first?.object?.text("NSKeyPath")
        else { return nil }
        guard let operand = expression.object("NSOperand"),
            operand.className != "NSSelfExpression"
        else { return path }
        return self.expression(operand, depth: depth + 1).map { "\($0).\(path)" }
    }

    private static func aggregate(_ expression: ArchivedObject, _ depth: Int) -> String? {
        let parts = expression.elements("NSCollection").map {
            $0.object.flatMap { self.expression($0, depth: depth + 1) }
        }
        let texts = parts.compactMap { $0 }
        return texts.count == parts.count ? "{\(texts.joined(separator: ", "))}" : nil
    }

    /// The functions that are compiled from the last part of a key path.
    private static let aggregates = [
        "count:": "@count", "sum:": "@sum", "min:": "@min", "max:": "@max", "average:": "@avg",
    ]

    private static func function(_ expression: ArchivedObject, _ depth: Int) -> String? {
        guard let selector = expression.text("NSSelectorName") else { return nil }
        let arguments = expression.elements("NSArguments").map {
            $0.object.flatMap { self.expression($0, depth: depth + 1) }
        }
        let texts = arguments.compactMap { $0 }
        guard texts.count == arguments.count else { return nil }
        if texts.isEmpty, selector == "now" { return "now()" }
        if let aggregate = aggregates[selector], texts.count == 1 {
            return "\(texts[0]).\(aggregate)"
        }
        let forms = ["canonical:", "lowercase:", "uppercase:", "now:"]
        guard forms.contains(selector) else { return nil }
        return "\(selector)(\(texts.joined(separator: ", ")))"
    }

    private static func constant(_ archived: ArchivedValue) -> String? {
        switch archived {
        case .none: "nil"
        case .bool(let flag): flag ? "TRUE" : "FALSE"
        case .integer(let number): "\(number)"
        case .double(let number): number.isFinite ? "\(number)" : nil
        default:
            if let text = archived.text {
                quoted(text)
            } else if case .decimal(let number)? = archived.value {
                "\(number)"
            } else {
                nil
            }
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
