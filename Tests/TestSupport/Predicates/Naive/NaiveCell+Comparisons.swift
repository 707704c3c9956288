import AnabranchModel
import AnabranchReplication
import Foundation

extension NaiveCell {
    /// Returns the value as it compares with another one.
    func adapted(to other: NaiveCell) throws -> NaiveValue {
        guard origin.isConstant else { return value }
        switch (value, other.value) {
        case (.text(let text), .uuid):
            guard let uuid = UUID(uuidString: text) else { throw NaiveDoubt() }
            return NaiveValue.of(uuid)
        case (.number(let number), .number(let beside)):
            let fitted = try number.fitted(to: beside, isFloat: other.origin.isFloat)
            let isSure = origin == .constant && other.origin != .maybeFloat
            if !isSure, try fitted.order(number) != 0 { throw NaiveDoubt() }
            return .number(fitted)
        default: return value
        }
    }

    /// Returns -1, 0 or 1; `nil` if a side is missing.
    func order(_ other: NaiveCell, _ folding: NaiveFolding) throws -> Int? {
        if isCollection || other.isCollection { throw NaiveDoubt() }
        if isMissing || other.isMissing { return nil }
        switch (try adapted(to: other), try other.adapted(to: self)) {
        case (.number(let left), .number(let right)): return try left.order(right)
        case (.date(let left), .date(let right)):
            return try NaiveNumber.double(left).order(.double(right))
        case (.text(let left), .text(let right)):
            return Self.order(folding.bytes(left), folding.bytes(right))
        case (.bytes(let left), .bytes(let right)): return Self.order(left, right)
        case (.uuid(let left), .uuid(let right)): return Self.order(left, right)
        default: throw NaiveDoubt()
        }
    }

    static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left == right { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    func equals(_ other: NaiveCell, _ folding: NaiveFolding) throws -> Bool {
        if case (.object(let left), .object(let right)) = (value, other.value) {
            return left == right
        }
        if let order = try order(other, folding) { return order == 0 }
        return isMissing && other.isMissing
    }

    func isElement(
        of cells: [NaiveCell], _ folding: NaiveFolding = .none
    ) throws -> Bool {
        // Not `contains`, so that a doubt about a later element counts.
        try cells.map { try equals($0, folding) }.contains(true)
    }

    /// The operators IN and CONTAINS.
    func isIn(_ container: NaiveCell, _ folding: NaiveFolding) throws -> Bool {
        switch container.value {
        case .collection(let elements): return try isElement(of: elements.cells, folding)
        case .missing, .missingCollection: return false
        case .text(let whole):
            if isMissing { return false }
            guard case .text(let part) = value else { throw NaiveDoubt() }
            return folding.isPart(part, of: whole)
        default: throw NaiveDoubt()
        }
    }

    func isBetween(_ bounds: NaiveCell, _ folding: NaiveFolding) throws -> Bool {
        guard case .collection(let elements) = bounds.value, elements.cells.count == 2
        else { throw NaiveDoubt() }
        let isAbove = try compares(.greaterOrEqual, elements.cells[0], folding)
        let isBelow = try compares(.lessOrEqual, elements.cells[1], folding)
        return isAbove && isBelow
    }

    /// Compares two single values; only the right one can be a collection.
    func compares(
        _ comparison: PredicateOperator, _ other: NaiveCell, _ folding: NaiveFolding
    ) throws -> Bool {
        switch comparison {
        case .equal: return try equals(other, folding)
        case .notEqual: return try !equals(other, folding)
        case .less: return try order(other, folding).map { $0 < 0 } ?? false
        case .lessOrEqual: return try order(other, folding).map { $0 <= 0 } ?? false
        case .greater: return try order(other, folding).map { $0 > 0 } ?? false
        case .greaterOrEqual: return try order(other, folding).map { $0 >= 0 } ?? false
        case .between: return try isBetween(other, folding)
        case .isIn: return try isIn(other, folding)
        case .contains: return try other.isIn(self, folding)
        case .beginsWith, .endsWith, .like, .matches:
            return try comparesText(comparison, other, folding)
        case .conformsToType, .equalsType: throw NaiveDoubt()
        }
    }

    func comparesText(
        _ comparison: PredicateOperator, _ other: NaiveCell, _ folding: NaiveFolding
    ) throws -> Bool {
        if isMissing || other.isMissing { return false }
        guard case (.text(let text), .text(let part)) = (value, other.value)
        else { throw NaiveDoubt() }
        switch comparison {
        case .beginsWith: return folding.begins(text, with: part)
        case .endsWith: return folding.ends(text, with: part)
        case .like: return folding.isLike(text, pattern: part)
        case .matches: return try folding.matches(text, expression: part)
        default: throw NaiveDoubt()
        }
    }
}
