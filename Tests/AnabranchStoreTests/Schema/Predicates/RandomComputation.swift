import AnabranchModel
import AnabranchReplication
import TestSupport

// Random predicates about computed values.

extension RandomPredicate {
    func computed(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let sign = try pick(["==", "!=", "<", "<=", ">", ">="], &generator)
        switch Int.random(in: 0..<11, using: &generator) {
        case 10: return try lists(sign, &generator)
        case 0...3:
            return try FetchPredicate(
                "\(number(depth: 2, &generator)) \(sign) \(number(depth: 1, &generator))")
        case 4:
            let list = try (0..<3).map { _ in try number(depth: 1, &generator) }
            return try FetchPredicate(
                "\(number(depth: 1, &generator)) IN {\(list.joined(separator: ", "))}")
        case 5...6: return try texts(sign, &generator)
        case 7: return try sets(&generator)
        case 8: return try dates(sign, &generator)
        default: return try entities(&generator)
        }
    }

    private static let functions = [
        "abs", "ceiling", "floor", "trunc", "round", "sqrt", "exp", "log", "ln", "-", "noindex",
    ]

    private static let reductions = [
        "children.@count", "children.@sum.i", "children.@sum.m", "friends.@max.d",
        "friends.@min.j", "tags.@avg.weight", "parent.children.@sum.j", "children.tags.@count",
        "children.tags.@sum.weight", "sum(children.j)", "median(children.j)", "mode(friends.j)",
        "stddev(children.j)", "children.@avg.m", "children.@max.m", "count(friends)",
        "children.@distinctUnionOfObjects.j.@count", "children.@unionOfObjects.s.@count",
        "SUBQUERY(children, $c, $c.j > 1).@sum.j", "(children UNION friends).@count",
        "(children MINUS friends).@max.i", "(children INTERSECT parent.children).@count",
        "(friends UNION children).@sum.j", "s.length", "parent.s.length", "children.@sum.d",
        "CAST(t, 'NSNumber')", "CAST(s, 'NSNumber')", "CAST(i, 'NSDecimalNumber')", "t - parent.t",
        "home.zip", "parent.home.zip", "children.@sum.home.zip", "friends.@max.home.spot.x",
        "steps[0].j", "steps[LAST].i", "peers[1].m", "steps[SIZE]", "queue[FIRST].weight",
        "parent.steps[0].peers[LAST].j", "queue[0].queuedIn[1].d", "steps.@sum.j",
    ]

    /// An expression of a number, as text.
    private func number(depth: Int, _ generator: inout SeededGenerator) throws -> String {
        if depth == 0 || generator.oneIn(4) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                return try pick(
                    ["0", "1", "2", "-3", "1.5", "0.1", "17", "63", "1e30"], &generator)
            case 1: return try pick(Self.reductions, &generator)
            case 2: return try pick(["parent.", "mateOf.", "parent.mate."], &generator) + "i"
            default: return try pick(["i", "j", "d", "f", "m", "b"], &generator)
            }
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 9: return try "~\(pick(["i", "j", "(i & j)", "children.@count"], &generator))"
        case 0:
            return try
                "\(pick(Self.functions, &generator))(\(number(depth: depth - 1, &generator)))"
        case 1:
            return try "modulus:by:(\(number(depth: depth - 1, &generator)), "
                + "\(number(depth: depth - 1, &generator)))"
        case 2:
            let sign = try pick(["&", "|", "^", "<<", ">>"], &generator)
            return try "(\(pick(["i", "j", "b", "2"], &generator)) \(sign) "
                + "\(pick(["j", "1", "3", "children.@count"], &generator)))"
        case 3:
            let condition = try pick(["s == p", "j > 1", "parent == nil"], &generator)
            // The naive evaluator does not know the type of the branch that is not chosen.
            let numbers = try pick(
                [["i", "j", "2"], ["d", "0.1"], ["d", "f"], ["m", "m"]], &generator)
            return try "TERNARY(\(condition), \(pick(numbers, &generator)), "
                + "\(pick(numbers, &generator)))"
        case 4:
            let name = try pick(["max", "min", "sum", "average", "count"], &generator)
            return try "\(name)({\(number(depth: depth - 1, &generator)), "
                + "\(number(depth: 0, &generator)), j})"
        default:
            let sign = try pick(["+", "-", "*", "/", "**"], &generator)
            return try "(\(number(depth: depth - 1, &generator)) \(sign) "
                + "\(number(depth: depth - 1, &generator)))"
        }
    }

    private func texts(
        _ sign: String, _ generator: inout SeededGenerator
    ) throws -> FetchPredicate {
        let text = try pick(
            [
                "s", "uppercase(s)", "lowercase(p)", "canonical(s)", "parent.p", "r",
                "TERNARY(j > 1, s, p)", "children.@max.s", "CAST(s, 'NSURL')",
            ], &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            let pattern = try pick(
                ["a.*", "[a-c]+", "(ab|c)*", ".", "", "A.?c", "á", "b\\?c"], &generator)
            let options = try pick(["", "[c]", "[d]", "[cd]"], &generator)
            return try FetchPredicate("\(text) MATCHES\(options) %@", pattern)
        case 1:
            let part = try pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "IN"], &generator)
            return try FetchPredicate("\(text) \(part) uppercase(p)")
        case 2:
            let options = try pick(["[l]", "[cl]", "[dl]", "[cdl]"], &generator)
            return try FetchPredicate(
                "\(text) \(sign)\(options) %@", pick(RandomValue.texts, &generator))
        default:
            return try FetchPredicate("\(text) \(sign) %@", pick(RandomValue.texts, &generator))
        }
    }

    /// Lists that are written in the format or given as arguments, on the left.
    private func lists(
        _ sign: String, _ generator: inout SeededGenerator
    ) throws -> FetchPredicate {
        let parts = try (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            try number(depth: 0, &generator)
        }
        let list = "{\(parts.joined(separator: ", "))}"
        let other = try number(depth: 1, &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return try FetchPredicate("\(list) CONTAINS \(other)")
        case 1:
            let quantifier = try pick(["ANY", "ALL", "NONE"], &generator)
            return try FetchPredicate("\(quantifier) \(list) \(sign) \(other)")
        case 2:
            let place = try pick(["FIRST", "LAST", "SIZE", "0", "1"], &generator)
            return try FetchPredicate("\(list)[\(place)] \(sign) \(other)")
        case 3:
            let texts = try (0..<3).map { _ in try pick(RandomValue.texts, &generator) }
            let options = try pick(["", "[c]", "[d]", "[cd]"], &generator)
            return try FetchPredicate("%@ CONTAINS\(options) s", texts)
        default:
            let ids = (0..<6).map { _ in reference(Int64.random(in: 1...26, using: &generator)) }
            return try FetchPredicate(
                "%@ CONTAINS \(pick(["SELF", "parent", "mateOf"], &generator))", ids)
        }
    }

    private func sets(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let sets = ["children", "friends", "parent.children", "mate.friends", "children.friends"]
        let sign = try pick(["UNION", "INTERSECT", "MINUS"], &generator)
        let set = try "(\(pick(sets, &generator)) \(sign) \(pick(sets, &generator)))"
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return try FetchPredicate("SELF IN \(set)")
        case 1: return try FetchPredicate("parent IN SUBQUERY(\(set), $c, $c.j > j)")
        case 2:
            let quantifier = try pick(["ANY", "ALL", "NONE"], &generator)
            return try FetchPredicate("\(quantifier) \(set).j > 1")
        case 3: return try FetchPredicate("j IN (children.j \(sign) {1, 2, 3})")
        default: return try FetchPredicate("\(set).@count > 1")
        }
    }

    private func dates(
        _ sign: String, _ generator: inout SeededGenerator
    ) throws -> FetchPredicate {
        let date = try pick(
            ["t + j", "t - 0.5", "j + t", "CAST(j, 'NSDate')", "children.@min.t"], &generator)
        let other = try pick(["t", "parent.t", "CAST(0, 'NSDate')"], &generator)
        return try FetchPredicate("\(date) \(sign) \(other)")
    }

    private func entities(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let path = try pick(["SELF", "parent", "mate.parent", "mateOf"], &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return try FetchPredicate("\(path).entity.name == 'Special'")
        case 1: return try FetchPredicate("\(path).entity != 'Thing'")
        case 2: return try FetchPredicate("\(path).entity.name IN {'Thing', nil}")
        default: return try FetchPredicate("ANY friends.entity.name BEGINSWITH 'S'")
        }
    }
}
