import Anabranch

/// The options of `fetch` and `explain` that ask for values instead of records.
struct RowQuery {
    private let groups: [String]
    private let columns: [FetchColumn]
    private let having: String?
    private let isDistinct: Bool
    private let query: RecordQuery

    static let options = [
        OptionSpecification(
            "group-by", "KEYS",
            "Shows a row for each group of records that have the values of these key paths in "
                + "common, and their number: country.name."),
        OptionSpecification("sum", "KEYS", "Shows the sums of these key paths."),
        OptionSpecification("avg", "KEYS", "Shows the means of these key paths."),
        OptionSpecification("min", "KEYS", "Shows the least values of these key paths."),
        OptionSpecification("max", "KEYS", "Shows the greatest values of these key paths."),
        OptionSpecification(
            "having", "PREDICATE", "Only groups that match a predicate: \"count > 10\"."),
        .flag("distinct", "Shows equal rows of the columns once."),
    ]

    /// - Returns: `nil` if the options ask for records.
    init?(_ arguments: ParsedArguments, _ query: RecordQuery) {
        func keys(_ name: String) -> [String] {
            (arguments.text(name) ?? "").split(separator: ",").map(String.init)
        }
        self.query = query
        groups = keys("group-by")
        having = arguments.text("having")
        isDistinct = arguments.isSet("distinct")
        var computed = groups.isEmpty ? [] : [FetchColumn.count()]
        computed += keys("sum").map { .sum($0, as: "sum(\($0))") }
        computed += keys("avg").map { .average($0, as: "avg(\($0))") }
        computed += keys("min").map { .minimum($0, as: "min(\($0))") }
        computed += keys("max").map { .maximum($0, as: "max(\($0))") }
        guard !computed.isEmpty || isDistinct || having != nil else { return nil }
        let shown = query.columns.isEmpty ? groups : query.columns
        columns = shown.map { .property($0) } + computed
    }

    func request(of entity: EntityDescription) throws -> RowRequest<ManagedObject> {
        var request = RowRequest(try query.request(of: entity))
        // Rows have no relevance.
        if query.sorts.isEmpty { request.sorts = [] }
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = groups
        request.havingPredicate = try having.map { try FetchPredicate(format: $0, arguments: []) }
        request.returnsDistinctResults = isDistinct
        return request
    }
}
