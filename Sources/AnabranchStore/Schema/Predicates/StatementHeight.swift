import AnabranchModel

/// The depth of SQLite's parser stack while it reads a statement.
///
/// SQLite refuses a statement that needs more than 100 entries, its default, and its error does not
/// name the place. So the writer counts as it writes and refuses first. The heights were measured
/// by filling the rest of the stack with parentheses, on SQLite 3.40.
struct StatementHeight {
    static let greatest = 100

    /// The stack entries that a construct adds before its content.
    enum Step {
        /// `(`, or `1 AND (`. A long chain is written as a balanced tree and adds this for each
        /// level.
        case chain(of: Int)
        /// `NOT`, or `(` before `IS NOT TRUE`.
        case not
        /// `1 =`, or `1 IS NOT`.
        case rightSide
        /// `EXISTS (SELECT 1 FROM t WHERE 1 AND (`.
        case exists
        /// `(SELECT count(*) FROM t WHERE 1 AND (`.
        case count
        /// The same as `count` after `CASE WHEN 1 THEN NULL ELSE`.
        case optionalCount
        /// `ab_function('nn', 1, `.
        case function
        /// `(1 + `.
        case arithmetic
        /// `CASE WHEN 1 THEN 1 ELSE`.
        case conditional
        /// `(SELECT 1 FROM t WHERE 1 AND (`, with an ORDER BY.
        case element

        var height: Int {
            switch self {
            case .chain(let length):
                var (levels, rest) = (1, length)
                while rest > 16 { (levels, rest) = (levels + 1, (rest + 1) / 2) }
                return length > 1 ? 3 * levels : 1
            case .not: return 1
            case .rightSide: return 3
            case .exists: return 10
            case .count: return 9
            case .optionalCount: return 13
            case .function: return 6
            case .arithmetic: return 3
            case .conditional: return 5
            case .element: return 12
            }
        }
    }

    /// The most stack entries of a construct that contains no other part of the predicate.
    enum Leaf: Int {
        /// A column, perhaps inside `ab_fold(…)`.
        case operand = 5
        /// An object that a SELECT in the FROM of the scope finds.
        case lookUp = 12
        /// A derived attribute: a SELECT inside functions with function arguments, possibly folded.
        case derivation = 40
        /// `(SELECT 1 UNION SELECT coalesce(ab_held(1, 1, 1, 1, 1), 1) FROM t WHERE 1) AS t`.
        case heldValues = 14
        /// `substr(CAST(…), -length(…), length(…)) = …`.
        case text = 16
        /// `a IN (SELECT r FROM t WHERE t MATCH ?)`.
        case search = 20
        /// `a IN (WITH RECURSIVE …)`.
        case longList = 23
    }

    /// Begins with the height of `SELECT count(*) FROM (SELECT 1 FROM t WHERE 1 AND (`, so that a
    /// fetch and its count have the same limit.
    private(set) var current = 17

    mutating func rise(
        by step: Step, of relationship: RelationshipDescription?
    ) throws(FetchPredicateError) {
        current += step.height
        try check(.operand, of: relationship)
    }

    mutating func fall(by step: Step) { current -= step.height }

    func check(
        _ leaf: Leaf, at height: Int? = nil, of relationship: RelationshipDescription? = nil
    ) throws(FetchPredicateError) {
        guard (height ?? current) + leaf.rawValue > Self.greatest else { return }
        let place = relationship.map { " \($0)" } ?? " a condition"
        throw FetchPredicateError(
            .tooComplex, entity: relationship?.entity.name, key: relationship?.name,
            "Can't evaluate\(place) so deep inside the predicate because SQLite reads at most "
                + "\(Self.greatest) levels, of which every to-many step takes 10, a count 9 to 16, "
                + "AND and OR 3 and NOT 1. Split the fetch.")
    }
}
