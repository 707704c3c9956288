import AnabranchModel
import AnabranchReplication
import Foundation

extension PredicateSQL {
    mutating func text(
        _ left: ResolvedOperand, _ relation: TextRelation, _ right: ResolvedOperand,
        _ options: ComparisonOptions
    ) throws(FetchPredicateError) -> String {
        try height.check(.text)
        if relation == .like || relation == .matches {
            let name = relation == .like ? "ab_like" : "ab_matches"
            let text = try operand(left, [])
            return "\(name)(\(text), \(try operand(right, [])), '\(options.letters)')"
        }
        let text = try operand(left, options)
        guard case .constant(let value) = right, let constant = value.text else {
            return try variable(text, relation, right, options)
        }
        let part = TextFolding.fold(constant, options: options)
        if part.isEmpty { return "\(text) IS NOT NULL" }
        switch relation {
        case .contains, .like, .matches: return "instr(\(text), \(bind(.string(part)))) > 0"
        case .beginsWith where options.isEmpty && left.isStored:
            return range(of: text, prefix: part)
        case .beginsWith:
            let length = bind(.integer(Int64(part.utf8.count)))
            return "substr(CAST(\(text) AS BLOB), 1, \(length)) = \(bind(.data(Data(part.utf8))))"
        case .endsWith:
            let length = bind(.integer(Int64(part.utf8.count)))
            return "substr(CAST(\(text) AS BLOB), -\(length)) = \(bind(.data(Data(part.utf8))))"
        }
    }

    /// A range condition for which SQLite can use an index: from the prefix up to the first text
    /// after all texts that begin with it.
    private mutating func range(of column: String, prefix: String) -> String {
        let start = "\(column) >= \(bind(.string(prefix)))"
        guard let end = Self.end(ofPrefix: prefix) else { return start }
        return "\(start) AND \(column) < \(bind(.string(end)))"
    }

    /// The least text that is greater than every text with the prefix; `nil` if there is none.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The scalar after U+D7FF is U+E000: surrogates lie between them.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(String.UnicodeScalarView(scalars))
        }
        return nil
    }

    /// Compares with a text that the row has too.
    private mutating func variable(
        _ text: String, _ relation: TextRelation, _ right: ResolvedOperand,
        _ options: ComparisonOptions
    ) throws(FetchPredicateError) -> String {
        let part = try operand(right, options)
        return switch relation {
        case .contains, .like, .matches: "instr(\(text), \(part)) > 0"
        case .beginsWith: "ab_begins(\(text), \(part))"
        case .endsWith: "ab_ends(\(text), \(part))"
        }
    }
}

extension ResolvedOperand {
    /// True for a value in a column: its SQL has no bindings.
    fileprivate var isStored: Bool {
        if case .attribute(_, let attribute) = self { !attribute.isDerived } else { false }
    }
}
