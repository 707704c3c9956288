/// The reason why the operator's hook gave no answer that can be used.
///
/// It is never a verdict on a change set: the push is refused, and the client repeats it.
struct ValidationFailure: Error, Hashable {
    /// The cause as a clause for the log, such as `it gave no answer within 2000 ms`.
    let cause: String

    static let isStopping = ValidationFailure("the server is stopping")

    init(_ cause: String) { self.cause = cause }

    static func noAnswer(within timeout: Duration) -> ValidationFailure {
        ValidationFailure("it gave no answer within \(timeout.wholeMilliseconds) ms")
    }
}

extension Duration {
    /// The duration in whole milliseconds, from 1 to the greatest number of 32 bits.
    var wholeMilliseconds: Int {
        let milliseconds = (self / .milliseconds(1)).rounded(.up)
        return Int(min(max(milliseconds, 1), Double(Int32.max)))
    }
}
