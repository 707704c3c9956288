import AnabranchModel
import AnabranchReplication
import TestSupport

// Random predicates about elements of lists, words in texts, and results of other fetches.

extension RandomPredicate {
    /// A comparison with an element of an ordered relationship.
    func placed(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        func element(_ generator: inout SeededGenerator) throws -> String {
            let list = try pick(
                ["steps", "peers", "parent.steps", "stepOf.peers", "mateOf.steps"], &generator)
            return try list + pick(["[FIRST]", "[LAST]", "[0]", "[1]", "[2]"], &generator)
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return try FetchPredicate("\(element(&generator)) == nil")
        case 1:
            let other = try pick(["SELF", "parent", "steps[0]", "peers[LAST]"], &generator)
            return try FetchPredicate("\(element(&generator)) == \(other)")
        case 2: return try FetchPredicate("\(element(&generator)) IN friends")
        case 3:
            let label = try pick(["queue[FIRST].label", "queue[LAST].label"], &generator)
            return try ask(label, .string, &generator)
        default:
            let (name, type) = try pick(Self.attributes, &generator)
            let way = try pick(["", "", "parent.", "steps[0]."], &generator)
            return try ask("\(element(&generator)).\(way)\(name)", type, &generator)
        }
    }

    /// A search for words.
    func search(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let words = ["a", "abc", "c", "A", "á", "straße", "strasse", "uote", "q", "𐀀", "abcabc"]
        var query = try pick(words, &generator)
        if generator.oneIn(3) { query += "*" }
        if generator.oneIn(4) { query = "^" + query }
        if generator.oneIn(3) {
            let sign = try pick([" ", " AND ", " OR ", " NOT "], &generator)
            query += try sign + pick(words, &generator)
        } else if generator.oneIn(4) {
            query = try "\"\(pick(words, &generator)) \(pick(words, &generator))\""
        }
        let way = try pick(["SELF", "parent", "mateOf", "s", "p", "parent.s"], &generator)
        let path = generator.oneIn(5) ? "home.town" : way
        return try FetchPredicate("\(path) MATCHES[s] %@", query)
    }

    /// A comparison with the objects of another fetch, or with their number.
    func fetched(_ generator: inout SeededGenerator) throws -> FetchPredicate {
        let sorts = try pick(
            [[], [FetchSort("j")], [FetchSort("parent.home.zip", ascending: false)]], &generator)
        let fetch = PredicateConstant.fetch(
            PredicateFetch(
                entityName: try pick(["Thing", "Thing", "Special"], &generator),
                predicate: generator.oneIn(4) ? nil : try ask("j", .integer16, &generator),
                sorts: sorts, includesSubentities: !generator.oneIn(3),
                limit: generator.oneIn(2) ? 0 : Int.random(in: 1...9, using: &generator),
                offset: generator.oneIn(3) ? Int.random(in: 1...9, using: &generator) : 0))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return try FetchPredicate("FETCH(%@, nil, YES) > j", fetch)
        case 1: return try FetchPredicate("ANY friends IN FETCH(%@, nil, NO)", fetch)
        default:
            let path = try pick(["SELF", "parent", "mateOf", "steps[0]"], &generator)
            return try FetchPredicate("\(path) IN FETCH(%@, nil, NO)", fetch)
        }
    }
}
