/// What an app does with one object, or with a few, all day.
enum EverydayOperation: String, CaseIterable {
    case insert = "insert and save"
    case change = "change and save"
    case delete = "delete and save"
    case insertTen = "insert ten and save"
    case find = "find by ID and read"
    case fire = "read a to-one"
    case members = "read a to-many of 20"
    case count = "count by an index"

    /// The least share of the speed of raw statements.
    var goal: Double? {
        switch self {
        case .insert, .change, .delete: 0.4
        case .find: 0.5
        case .insertTen, .fire, .members, .count: nil
        }
    }

    var isSave: Bool {
        switch self {
        case .insert, .change, .delete, .insertTen: true
        case .find, .fire, .members, .count: false
        }
    }
}

/// One of the two sides that are compared.
protocol EverydaySide: AnyObject {
    /// Does an operation several times.
    ///
    /// - Parameter turns: Numbers that select the objects. No number comes twice for an operation.
    /// - Returns: The time of each.
    func times(of operation: EverydayOperation, _ turns: Range<Int>) throws -> [Duration]
}

/// The size of the tables before the operations.
enum EverydaySize {
    static let people = 20_000
    static let teams = 1000
    static let playersEach = 20
    /// The ages of people have this many values, and one of them is counted.
    static let ages = 1000
}
