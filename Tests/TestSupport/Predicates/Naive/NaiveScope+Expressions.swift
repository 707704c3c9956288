import AnabranchModel
import AnabranchReplication
import Foundation

extension NaiveScope {
    func cell(_ expression: FetchExpression) throws -> NaiveCell {
        switch expression.form {
        case .constant(let constant): return try cell(constant)
        case .evaluatedObject: return subject
        case .variable(let name): return try variable(name)
        case .path(let base, let steps):
            return try walk(base.map { try cell($0) } ?? subject, steps[...])
        case .aggregate(let parts): return try list(parts.map { try cell($0) })
        case .arithmetic(let sign, let left, let right):
            return try arithmetic(sign, cell(left), cell(right))
        case .negative(let inner): return try unary("-", cell(inner))
        case .complement(let inner): return try unary("~", cell(inner))
        case .function(let name, let arguments):
            return try function(name, arguments.map { try cell($0) })
        case .subquery(let collection, let variable, let predicate):
            return try subquery(cell(collection), variable, predicate)
        case .cast(let inner, let type): return try cast(cell(inner), to: type)
        case .ternary(let predicate, let first, let second):
            let (one, other) = (try cell(first).passedOn, try cell(second).passedOn)
            return try truth(of: predicate) ? one : other
        case .fetch(let request, _, let count): return try fetch(request, count)
        case .message, .assignment: throw NaiveDoubt()
        }
    }

    func cell(_ constant: PredicateConstant) throws -> NaiveCell {
        switch constant {
        case .value(let value): return NaiveCell(try NaiveValue(value), .constant)
        case .collection(let parts): return try list(parts.map { try cell($0) })
        case .object(let reference): return NaiveCell(.object(reference), .constant)
        case .fetch: throw NaiveDoubt()
        }
    }

    func list(_ cells: [NaiveCell]) throws -> NaiveCell {
        if cells.contains(where: \.isCollection) { throw NaiveDoubt() }
        return NaiveCell(.collection(NaiveElements(cells: cells, isOrdered: true)))
    }

    static func bare(_ name: String) -> String {
        name.hasPrefix("$") ? String(name.dropFirst()) : name
    }

    func variable(_ name: String) throws -> NaiveCell {
        guard let cell = variables[Self.bare(name)] else { throw NaiveDoubt() }
        return cell
    }

    func subquery(
        _ collection: NaiveCell, _ variable: String, _ predicate: FetchPredicate
    ) throws -> NaiveCell {
        switch collection.value {
        case .missingCollection: return collection
        case .collection(var elements):
            elements.cells = try elements.cells.filter { element in
                var inner = self
                inner.variables[Self.bare(variable)] = element
                return try inner.truth(of: predicate)
            }
            return NaiveCell(.collection(elements))
        default: throw NaiveDoubt()
        }
    }

    func arithmetic(
        _ sign: ArithmeticOperator, _ left: NaiveCell, _ right: NaiveCell
    ) throws -> NaiveCell {
        switch sign {
        case .union, .intersection, .difference: return try combine(sign, left, right)
        default: return try binary(sign.rawValue, left, right)
        }
    }

    func combine(
        _ sign: ArithmeticOperator, _ left: NaiveCell, _ right: NaiveCell
    ) throws -> NaiveCell {
        let (first, second) = (try members(left), try members(right))
        var isDoubtful = first.isDoubtful || second.isDoubtful
        var cells: [NaiveCell] = []
        switch sign {
        case .union:
            let added = try second.cells.filter { try !$0.isElement(of: first.cells) }
            // The rules leave the number of repeated objects of the second side open.
            if try distinct(added).count != added.count { isDoubtful = true }
            cells = first.cells + added
        case .intersection:
            cells = try first.cells.filter { try $0.isElement(of: second.cells) }
        default: cells = try first.cells.filter { try !$0.isElement(of: second.cells) }
        }
        if !(first.cells + second.cells).allSatisfy(\.isObject) { isDoubtful = true }
        return NaiveCell(.collection(NaiveElements(cells: cells, isDoubtful: isDoubtful)))
    }

    func members(_ cell: NaiveCell) throws -> NaiveElements {
        switch cell.value {
        case .collection(let elements): return elements
        case .missingCollection: return NaiveElements(cells: [], isDoubtful: true)
        default: throw NaiveDoubt()
        }
    }

    func distinct(_ cells: [NaiveCell]) throws -> [NaiveCell] {
        var found: [NaiveCell] = []
        for cell in cells {
            let isKnown = try cell.isElement(of: found)
            if !isKnown { found.append(cell) }
        }
        return found
    }
}
