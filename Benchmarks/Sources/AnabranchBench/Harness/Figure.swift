/// One line of the table.
struct Figure: Sendable {
    enum Measure: Sendable {
        /// Rows a second of the raw SQLite C API and of Anabranch, in the same run.
        case share(raw: Double, ours: Double)
        /// Per second.
        case rate(Double)
        /// The smaller the better.
        case amount(Double, unit: String)
    }

    let title: String
    let measure: Measure
    /// A share or a rate that is to be reached, or an amount that is not to be exceeded.
    let goal: Double?
    /// Where the time or the space goes, for whoever sees the goal missed.
    let cause: String?

    init(_ title: String, _ measure: Measure, goal: Double? = nil, cause: String? = nil) {
        self.title = title
        self.measure = measure
        self.goal = goal
        self.cause = cause
    }

    /// `nil` without a goal.
    var isReached: Bool? {
        guard let goal else { return nil }
        return switch measure {
        case .share(let raw, let ours): ours / raw >= goal
        case .rate(let rate): rate >= goal
        case .amount(let amount, _): amount <= goal
        }
    }
}
