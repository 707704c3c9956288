import AnabranchReplication
import Foundation

extension FetchPredicate {
    /// The predicate as a format in canonical form.
    ///
    /// It uses `==`, keywords in upper case, and text in double quotation marks. Reading it gives
    /// an equal predicate, with two exceptions: a predicate that holds an object, which no format
    /// can write, and one that was created in a form that the grammar does not have.
    public var predicateFormat: String {
        switch self {
        case .constant(let isTrue): isTrue ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.predicateFormat
        case .conjunction(let parts): Self.join(parts, " AND ", empty: "TRUEPREDICATE")
        case .disjunction(let parts): Self.join(parts, " OR ", empty: "FALSEPREDICATE")
        case .negation(let inner): "NOT " + inner.nestedFormat
        }
    }

    private static func join(_ parts: [FetchPredicate], _ word: String, empty: String) -> String {
        parts.isEmpty ? empty : parts.map(\.nestedFormat).joined(separator: word)
    }

    private var nestedFormat: String {
        switch self {
        case .conjunction, .disjunction: "(" + predicateFormat + ")"
        case .constant, .comparison, .negation: predicateFormat
        }
    }
}

extension FetchPredicate: CustomStringConvertible {
    /// The predicate format.
    public var description: String { predicateFormat }
}

extension PredicateComparison {
    /// The comparison as a format in canonical form.
    package var predicateFormat: String {
        let prefix = quantifier.map { $0.rawValue + " " } ?? ""
        return "\(prefix)\(left.format) \(operatorText) \(right.format)"
    }
}

extension FetchExpression: CustomStringConvertible {
    /// The expression as a format in canonical form.
    public var description: String { format }

    var format: String {
        switch form {
        case .constant(let constant): constant.format
        case .evaluatedObject: "SELF"
        case .variable(let name): "$" + FormatText.name(name)
        case .path(let root, let steps): Self.format(root, steps)
        case .aggregate(let elements): "{" + Self.format(elements) + "}"
        case .arithmetic(let sign, let left, let right):
            left.operandFormat(of: sign.precedence) + " \(sign.rawValue) "
                + right.operandFormat(of: sign.precedence + 1)
        case .negative(let operand): "-" + operand.operandFormat(of: 9)
        case .complement(let operand): "~" + operand.operandFormat(of: 9)
        case .function(let name, let arguments):
            name.contains(":")
                ? "\(name):(\(Self.format(arguments)))" : "\(name)(\(Self.format(arguments)))"
        case .message, .subquery, .cast, .ternary, .fetch, .assignment: specialFormat
        }
    }

    private var specialFormat: String {
        switch form {
        case .message(let target, let selector, let arguments):
            "FUNCTION("
                + ([target.format, FormatText.string(selector)] + arguments.map(\.format))
                .joined(separator: ", ") + ")"
        case .subquery(let collection, let variable, let filter):
            "SUBQUERY(\(collection.format), $\(FormatText.name(variable)), "
                + filter.predicateFormat + ")"
        case .cast(let operand, let type): "CAST(\(operand.format), \(FormatText.string(type)))"
        case .ternary(let condition, let first, let second):
            "TERNARY(\(condition.predicateFormat), \(first.format), \(second.format))"
        case .fetch(let request, let context, let countOnly):
            "FETCH(\(Self.format([request, context, countOnly])))"
        case .assignment(let name, let value): "\(FormatText.key(name)) := \(value.format)"
        default: ""
        }
    }

    private func operandFormat(of precedence: Int) -> String {
        switch form {
        case .arithmetic(let sign, _, _) where sign.precedence < precedence: "(" + format + ")"
        case .assignment: "(" + format + ")"
        default: format
        }
    }

    private static func format(_ expressions: [FetchExpression]) -> String {
        expressions.map(\.format).joined(separator: ", ")
    }

    private static func format(_ root: FetchExpression?, _ steps: [PathStep]) -> String {
        var text = root.map(\.rootFormat) ?? ""
        var isFirst = root == nil
        for step in steps {
            switch step {
            case .key(let key): text += (isFirst ? "" : ".") + FormatText.key(key)
            case .collectionOperator(let name):
                text += (isFirst ? "@" : ".@") + FormatText.name(name)
            case .first: text += (isFirst ? "SELF" : "") + "[FIRST]"
            case .last: text += (isFirst ? "SELF" : "") + "[LAST]"
            case .size: text += (isFirst ? "SELF" : "") + "[SIZE]"
            case .index(let index): text += (isFirst ? "SELF" : "") + "[\(index.format)]"
            }
            isFirst = false
        }
        return text
    }

    private var rootFormat: String {
        switch form {
        case .arithmetic, .negative, .complement, .assignment: "(" + format + ")"
        case .constant(.value(.integer)), .constant(.value(.double)): "(" + format + ")"
        default: format
        }
    }
}

extension PredicateConstant {
    var format: String {
        switch self {
        case .collection(let elements):
            "{" + elements.map(\.format).joined(separator: ", ") + "}"
        case .object(let object): "<object \(object.record)>"
        case .fetch(let request): "<fetch of \(request.entityName)>"
        case .value(let value): Self.format(value)
        }
    }

    private static func format(_ value: PropertyValue) -> String {
        switch value {
        case .null: "nil"
        case .bool(let flag): flag ? "1" : "0"
        case .integer(let number): String(number)
        case .double(let number): literal(number) ?? cast(special(number), "NSNumber")
        case .decimal(let number): cast(number.description, "NSDecimalNumber")
        case .string(let text): FormatText.string(text)
        case .date(let seconds):
            literal(seconds).map { "CAST(\($0), \"NSDate\")" } ?? cast(special(seconds), "NSDate")
        case .data(let data): cast(data.base64EncodedString(), "NSData")
        case .uuid(let uuid): cast(uuid.uuidString, "NSUUID")
        case .uri(let text): cast(text, "NSURL")
        case .reference(let record): "<record \(record)>"
        case .group: "<group \(value)>"
        case .unknown(let tag, _): "<value \(tag)>"
        }
    }

    private static func cast(_ text: String, _ type: String) -> String {
        "CAST(\(FormatText.string(text)), \"\(type)\")"
    }

    private static func literal(_ number: Double) -> String? {
        number.isFinite ? String(number) : nil
    }

    private static func special(_ number: Double) -> String {
        number.isNaN ? "nan" : number < 0 ? "-inf" : "inf"
    }
}
