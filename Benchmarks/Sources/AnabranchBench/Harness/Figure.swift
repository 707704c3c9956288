/// One line of the table.
struct Figure: Sendable {
    enum Measure: Sendable {
        /// Rows a second of the raw SQLite C API and of Anabranch, in the same run.
        case share(raw: Double, ours: Double)
        /// A number per second.
        case rate(Double)
        /// An amount; smaller is better.
        case amount(Double, unit: String)
        /// The reason why a benchmark has no figures.
        case failure(String)
    }

    let title: String
    let measure: Measure
    /// The least share or rate, or the greatest amount; `nil` without a goal.
    let goal: Double?
    /// An explanation of the time or space, shown if the goal is missed.
    let cause: String?

    init(_ title: String, _ measure: Measure, goal: Double? = nil, cause: String? = nil) {
        self.title = title
        self.measure = measure
        self.goal = goal
        self.cause = cause
    }

    /// True if the goal is reached; `nil` without a goal.
    var isReached: Bool? {
        guard let goal else { return nil }
        return switch measure {
        case .share(let raw, let ours): ours / raw >= goal
        case .rate(let rate): rate >= goal
        case .amount(let amount, _): amount <= goal
        case .failure: false
        }
    }

    /// The reason if this stands for a benchmark that failed; otherwise `nil`.
    var failure: String? {
        if case .failure(let reason) = measure { reason } else { nil }
    }
}
