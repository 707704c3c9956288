import Foundation

/// A table of members as a CSV file: five columns, of which one is unique and one has an index.
struct ScaleTable {
    let path: String
    let rows: Int

    static let columns = "code,name,city,amount,born"
    private static let names = ["Anna", "Bob", "Cleo", "Dora", "Emil", "Fritz", "Greta", "Hans"]
    private static let cities: UInt64 = 5000
    private static let rowsTogether = 10_000

    /// Writes the file. The same number of rows always gives the same file.
    init(path: String, rows: Int) throws {
        self.path = path
        self.rows = rows
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var random = ScaleRandom()
        var text = Self.columns + "\n"
        for row in 0..<rows {
            text += Self.line(row, &random)
            guard row % Self.rowsTogether == Self.rowsTogether - 1 || row == rows - 1 else {
                continue
            }
            try file.write(contentsOf: Data(text.utf8))
            text = ""
        }
    }

    private static func line(_ row: Int, _ random: inout ScaleRandom) -> String {
        let code = String(10_000_000_000 + row).dropFirst()
        let name = "\(names[row % names.count]) \(random.next() % 1_000_000)"
        let month = String(101 + row % 12).dropFirst()
        let day = String(101 + row % 28).dropFirst()
        return "K\(code),\(name),City\(random.next() % cities),\(random.next() % 1_000_000),"
            + "\(1950 + row % 60)-\(month)-\(day)T12:00:00Z\n"
    }
}

/// Random numbers that are the same in each run.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
private struct ScaleRandom: RandomNumberGenerator {
    private var state: UInt64 = 7

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
