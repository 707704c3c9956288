/// The counts of a source's persistent history, and of the part that its store has.
public struct ConvertedHistory: Hashable, Sendable {
    /// The number of transactions in the source.
    public let transactionCount: Int
    /// The number of transactions that are change sets of the store. The others changed only
    /// objects that were deleted later, or that another transaction changed after them.
    public let keptTransactionCount: Int
    /// The number of objects that transactions deleted. Nothing of them is in the store.
    public let deletedObjectCount: Int
}
