import AnabranchStore

/// The content of a source as saves of the new store, in their order.
protocol ConvertedSaves: AnyObject {
    /// The number of objects that were read.
    var objectCount: Int { get }
    /// The number of links that were read.
    var linkCount: Int { get }
    /// The counts of the source's history; `nil` if it keeps none.
    var history: ConvertedHistory? { get }

    /// Returns the next save; `nil` after the last.
    func next() throws -> SaveInPieces?
}

extension SaveInPieces {
    /// The author of what no transaction of a history inserted.
    private static let converter = "conversion"

    /// The save of what was there before a source's history begins.
    ///
    /// Its time is the beginning of Core Data's calendar, so every later save is newer.
    static func converted(next: @escaping () throws -> SaveRequest?) -> SaveInPieces {
        SaveInPieces(
            author: converter, wallMilliseconds: HistoryTransactions.calendarBeginning, next: next)
    }
}
