/// The counts of one operation, as means of many.
struct OperationCounts {
    var instructions: Double
    var statements: Double
    var transactions: Double
    /// The transactions that write.
    var writeTransactions: Double
    var writtenPages: Double
    var systemCalls: Double
    var allocations: Double
}
