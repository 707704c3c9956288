import AnabranchModel
import AnabranchReplication
import Foundation

extension NaiveScope {
    func count(_ cell: NaiveCell) throws -> NaiveCell {
        switch cell.value {
        case .missing, .missingCollection: return .missing
        case .collection(let elements):
            // The rules leave open if a missing value counts.
            if elements.isDoubtful || elements.cells.contains(where: \.isMissing) {
                throw NaiveDoubt()
            }
            return .integer(elements.cells.count)
        default: throw NaiveDoubt()
        }
    }

    /// A collection operator other than the count.
    func collect(_ name: String, _ cell: NaiveCell) throws -> NaiveCell {
        switch name {
        case "sum", "min", "max": return try reduce(name, cell)
        case "avg", "average": return try reduce("average", cell)
        case "unionOfObjects", "distinctUnionOfObjects":
            if case .missingCollection = cell.value { return cell }
            guard case .collection(var elements) = cell.value else { throw NaiveDoubt() }
            elements.isOrdered = false
            elements.cells = elements.cells.filter { !$0.isMissing }
            if name == "distinctUnionOfObjects" {
                elements.cells = try distinct(elements.cells)
            }
            return NaiveCell(.collection(elements))
        default: throw NaiveDoubt()
        }
    }

    func reduce(_ name: String, _ cell: NaiveCell) throws -> NaiveCell {
        if name == "count" { return try count(cell) }
        switch cell.value {
        case .missing, .missingCollection: return .missing
        case .collection(let elements):
            if elements.isDoubtful { throw NaiveDoubt() }
            let areConstant = elements.cells.allSatisfy(\.origin.isConstant)
            let cells = try present(elements.cells)
            switch name {
            case "min", "max", "mode", "median": return try chosen(name, cells)
            default:
                let total = try total(name, cells.map(number))
                if name == "sum" && cells.isEmpty { return NaiveCell(total, .sumOfNone) }
                if areConstant { return NaiveCell(total, .maybeConstant) }
                let isWhole = name == "sum" && cells.allSatisfy(\.isWhole)
                return NaiveCell(total, isWhole ? total.wholeOrigin : .computed)
            }
        default: throw NaiveDoubt()
        }
    }

    /// Returns the present values, constants as decimals beside decimals, without origins that
    /// would convert them again.
    func present(_ cells: [NaiveCell]) throws -> [NaiveCell] {
        let hasDecimal = cells.contains(where: \.isDecimal)
        let isUnclear = cells.contains { cell in
            if case .attribute = cell.origin { return false }
            return cell.isMissing
        }
        let areConstant = cells.allSatisfy(\.origin.isConstant)
        return try cells.filter { !$0.isMissing }.map { cell in
            var value = cell.value
            if case .number(.double(let double)) = value, cell.origin.isConstant, !areConstant {
                if hasDecimal && cell.origin == .maybeConstant { throw NaiveDoubt() }
                if isUnclear && !hasDecimal { throw NaiveDoubt() }
                if hasDecimal { value = .number(NaiveNumber.double(double).shortest) }
            }
            let passedOn = cell.origin.passedOn
            return NaiveCell(
                value, passedOn == .maybeConstant && !areConstant ? .computed : passedOn)
        }
    }

    func number(_ cell: NaiveCell) throws -> NaiveNumber {
        guard case .number(let number) = cell.value else { throw NaiveDoubt() }
        return number
    }

    /// The order of values as they are; missing values cannot occur.
    func rawOrder(_ left: NaiveCell, _ right: NaiveCell) throws -> Int {
        let (left, right) = (NaiveCell(left.value), NaiveCell(right.value))
        guard let order = try left.order(right, .none) else { throw NaiveDoubt() }
        return order
    }

    /// The reductions that return one of the elements.
    func chosen(_ name: String, _ cells: [NaiveCell]) throws -> NaiveCell {
        if cells.isEmpty { return .missing }
        let hasDecimal = cells.contains(where: \.isDecimal)
        let hasDouble = cells.contains { cell in
            if case .number(.double) = cell.value { true } else { false }
        }
        // The rules leave open if the result is a decimal or a double.
        if hasDecimal && hasDouble { throw NaiveDoubt() }
        let sorted = try cells.sorted { try rawOrder($0, $1) < 0 }
        switch name {
        case "min": return sorted[0]
        case "max": return sorted[sorted.count - 1]
        case "mode": return try mostFrequent(sorted)
        default: return try median(sorted)
        }
    }

    func mostFrequent(_ sorted: [NaiveCell]) throws -> NaiveCell {
        var best = sorted[0]
        var bestCount = 0
        for cell in sorted {
            let count = try sorted.filter { try rawOrder($0, cell) == 0 }.count
            if count > bestCount { (best, bestCount) = (cell, count) }
        }
        return best
    }

    func median(_ sorted: [NaiveCell]) throws -> NaiveCell {
        let middle = sorted.count / 2
        _ = try sorted.map(number)
        if !sorted.count.isMultiple(of: 2) {
            // The middle of integers is a double, as it would be between two of them.
            let one = try number(sorted[middle])
            return one.isDouble ? sorted[middle] : NaiveCell(try average([one]))
        }
        let pair = [try number(sorted[middle - 1]), try number(sorted[middle])]
        if pair.contains(where: \.isDouble) { throw NaiveDoubt() }
        return NaiveCell(try average(pair))
    }

    func total(_ name: String, _ numbers: [NaiveNumber]) throws -> NaiveValue {
        switch name {
        case "sum": return try sum(numbers)
        case "average": return try average(numbers)
        case "stddev": return try deviation(numbers)
        default: throw NaiveDoubt()
        }
    }

    func allIntegers(_ numbers: [NaiveNumber]) -> [Int64]? {
        var found: [Int64] = []
        for number in numbers {
            guard case .integer(let integer) = number else { return nil }
            found.append(integer)
        }
        return found
    }

    func wholeSum(_ integers: [Int64]) -> Int128 {
        integers.reduce(Int128(0)) { sum, integer in sum + Int128(integer) }
    }

    func sum(_ numbers: [NaiveNumber]) throws -> NaiveValue {
        if let integers = allIntegers(numbers) {
            let sum = wholeSum(integers)
            if let integer = Int64(exactly: sum) { return .number(.integer(integer)) }
            return .number(.double(Double(sum)))
        }
        if numbers.contains(where: \.isDouble) { return .result(try doubleSum(numbers)) }
        return .number(.decimal(try decimalSum(numbers)))
    }

    func doubleSum(_ numbers: [NaiveNumber]) throws -> Double {
        // The result of more than two depends on their order.
        guard numbers.count <= 2 else { throw NaiveDoubt() }
        var sum = 0.0
        for number in numbers {
            // An integer that no double can hold is added exactly, and the sum is then rounded.
            if case .integer(let integer) = number, Int64(exactly: Double(integer)) != integer {
                throw NaiveDoubt()
            }
            sum += try number.asDouble()
        }
        return sum
    }

    func decimalSum(_ numbers: [NaiveNumber]) throws -> Decimal {
        var sum = Decimal(0)
        for number in numbers {
            guard case .number(.decimal(let next)) = try decimals("+", sum, decimal(number))
            else { throw NaiveDoubt() }
            sum = next
        }
        return sum
    }

    func average(_ numbers: [NaiveNumber]) throws -> NaiveValue {
        if numbers.isEmpty { return .missing }
        let count = Double(numbers.count)
        if let integers = allIntegers(numbers) {
            return .result(Double(wholeSum(integers)) / count)
        }
        if numbers.contains(where: \.isDouble) {
            return .result(try doubleSum(numbers) / count)
        }
        return try decimals("/", decimalSum(numbers), Decimal(numbers.count))
    }

    func deviation(_ numbers: [NaiveNumber]) throws -> NaiveValue {
        if numbers.isEmpty { return .missing }
        // With so small integers, and so many that halves suffice, only the root is rounded.
        guard let integers = allIntegers(numbers), numbers.count.nonzeroBitCount == 1,
            integers.allSatisfy({ $0.magnitude < 1_000_000 })
        else { throw NaiveDoubt() }
        let count = Double(integers.count)
        let mean = Double(wholeSum(integers)) / count
        var squares = 0.0
        for integer in integers {
            let distance = Double(integer) - mean
            squares += distance * distance
        }
        return .result((squares / count).squareRoot())
    }
}
