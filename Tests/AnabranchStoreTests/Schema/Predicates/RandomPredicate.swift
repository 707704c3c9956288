import AnabranchModel
import AnabranchReplication
import TestSupport

/// Random predicates on the entity `Thing` of ``RandomGraph``, most of them valid.
struct RandomPredicate {
    let graph: SampleGraph

    static let attributes: [(String, AttributeType)] = [
        ("i", .integer64), ("j", .integer16), ("d", .double), ("f", .float), ("m", .decimal),
        ("s", .string), ("p", .string), ("b", .boolean), ("t", .date), ("x", .binary),
        ("u", .uuid), ("r", .uri), ("home.town", .string), ("home.zip", .integer32),
        ("home.spot.x", .double),
    ]
    private static let toOne = ["", "", "parent.", "mate.", "mateOf.", "parent.mateOf."]
    private static let toMany = [
        "children", "tags", "friends", "parent.children", "children.tags", "friends.children",
        "mateOf.friends", "steps", "steps.peers", "peers.queue.queuedIn",
    ]

    mutating func make(
        depth: Int, _ generator: inout SeededGenerator
    ) throws -> FetchPredicate {
        switch depth == 0 ? 9 : Int.random(in: 0..<10, using: &generator) {
        case 0...1:
            return try make(depth: depth - 1, &generator).and(make(depth: depth - 1, &generator))
        case 2...3:
            return try make(depth: depth - 1, &generator).or(make(depth: depth - 1, &generator))
        case 4...5: return try make(depth: depth - 1, &generator).negated
        default: return try comparison(&generator)
        }
    }

    func pick<T>(_ values: [T], _ generator: inout SeededGenerator) throws -> T {
        guard let value = values.randomElement(using: &generator) else { throw NothingToPick() }
        return value
    }

    private struct NothingToPick: Error {}

    private func comparison(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        switch Int.random(in: 0..<14, using: &generator) {
        case 8...11: return try computed(&generator)
        case 12: return try placed(&generator)
        case 13: return try generator.oneIn(2) ? search(&generator) : fetched(&generator)
        case 0: return try object(&generator)
        case 1: return try count(&generator)
        case 2: return try quantified(&generator)
        case 3: return try subquery(&generator)
        default:
            let (name, type) = try pick(Self.attributes, &generator)
            return try ask(pick(Self.toOne, &generator) + name, type, &generator)
        }
    }

    func ask(
        _ path: String, _ type: AttributeType, quantifier: String = "",
        _ generator: inout SeededGenerator
    ) throws -> FetchPredicate {
        let left = quantifier + path
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where type == .string || type == .uri:
            let sign = try pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"], &generator)
            let options = try pick(["", "", "[c]", "[d]", "[cd]"], &generator)
            let texts = RandomValue.texts + ["a*", "?", "*b*", "\\*", "a?c"]
            if generator.oneIn(4) { return try FetchPredicate("\(left) \(sign)\(options) p") }
            return try FetchPredicate("\(left) \(sign)\(options) %@", pick(texts, &generator))
        case 1:
            let count = generator.oneIn(3) ? 40 : 3
            let values = (0..<Int.random(in: 0...count, using: &generator)).map { _ in
                RandomValue.constant(type, &generator)
            }
            let options = try pick(["", "[c]", "[d]"], &generator)
            return try FetchPredicate("\(left) IN\(options) %@", values)
        case 2:
            return try FetchPredicate(
                "\(left) BETWEEN {%@, %@}", RandomValue.constant(type, &generator),
                RandomValue.constant(type, &generator))
        case 3:
            let (other, _) = try pick(Self.attributes, &generator)
            let sign = try pick(["==", "!=", "<", "<=", ">", ">="], &generator)
            return try FetchPredicate("\(left) \(sign) \(other)")
        default:
            let sign = try pick(["==", "!=", "<", "<=", ">", ">="], &generator)
            let options = try pick(["", "", "[c]", "[cd]", "[n]"], &generator)
            return try FetchPredicate(
                "\(left) \(sign)\(options) %@", RandomValue.constant(type, &generator))
        }
    }

    private func object(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let path = try pick(["SELF", "parent", "mate", "mateOf", "parent.parent"], &generator)
        let ids = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
            reference(Int64.random(in: 1...26, using: &generator))
        }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return try FetchPredicate("\(path) IN %@", ids)
        case 1: return try FetchPredicate("\(path) != nil")
        case 2:
            let other = try pick(["SELF", "parent", "mate", "mateOf"], &generator)
            return try FetchPredicate("\(path) == \(other)")
        case 3: return try FetchPredicate("children CONTAINS %@", ids.first)
        default: return try FetchPredicate("\(path) == %@", ids.first)
        }
    }

    func reference(_ id: Int64) -> PredicateConstant {
        .object(PredicateObjectReference(record: id, store: SampleGraph.store))
    }

    private func count(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let path = try pick(
            ["children", "tags", "friends", "parent.children", "mateOf.tags"], &generator)
        let sign = try pick(["==", "!=", "<", "<=", ">", ">="], &generator)
        return try FetchPredicate(
            "\(path).@count \(sign) %d", Int.random(in: 0...2, using: &generator))
    }

    private func quantified(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let quantifier = try pick(["ANY ", "ALL ", "NONE "], &generator)
        let path = try pick(Self.toMany, &generator)
        if path.hasSuffix("tags") {
            let (name, type): (String, AttributeType) = try pick(
                [("label", .string), ("weight", .integer32)], &generator)
            return try ask("\(path).\(name)", type, quantifier: quantifier, &generator)
        }
        let (name, type) = try pick(Self.attributes, &generator)
        let way = try pick(["", "parent.", "mateOf."], &generator)
        return try ask("\(path).\(way)\(name)", type, quantifier: quantifier, &generator)
    }

    /// A condition on the values that an attribute holds, at the end of a path.
    func held(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let (name, type) = try pick(RandomGraph.held, &generator)
        let way = try pick(["", "", "parent.", "mateOf.", "parent.mate."], &generator)
        if generator.oneIn(4) {
            let sign = try pick(["==", ">", "<"], &generator)
            let number = Int.random(in: 0...3, using: &generator)
            if generator.oneIn(3) {
                return try FetchPredicate(
                    "SUBQUERY(children, $c, $c.\(name).@count \(sign) %d).@count > 0", number)
            }
            return try FetchPredicate("\(way)\(name).@count \(sign) %d", number)
        }
        let ways = [way, way, "children.", "friends.parent.", "tags.things."]
        return try ask(
            try pick(ways, &generator) + name, type,
            quantifier: try pick(["ANY ", "ALL ", "NONE "], &generator), &generator)
    }

    private func subquery(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let path = try pick(["children", "friends", "parent.children"], &generator)
        let sign = try pick(["==", ">", "<"], &generator)
        let inner = try pick(
            [
                "$c.j > SELF.j", "ANY $c.friends.i == 1", "$c.parent == SELF",
                "SUBQUERY($c.children, $d, $d.s == $c.s).@count == 0", "$c.tags.@count > 0",
                "NOT ($c.s == s)", "$c IN friends", "$c.steps[0].j > j", "$c.peers[LAST] == SELF",
            ], &generator)
        return try FetchPredicate(
            "SUBQUERY(\(path), $c, \(inner)).@count \(sign) %d",
            Int.random(in: 0...2, using: &generator))
    }
}
