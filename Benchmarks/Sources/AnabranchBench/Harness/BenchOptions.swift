/// The options of the command line.
struct BenchOptions {
    var rounds = 5
    var rows = 100_000
    var names: [String] = []
    var isListing = false
    /// The file for the counts of single operations, which are then counted instead.
    var countFile: String?

    /// Parses the command line.
    ///
    /// - Throws: ``BadUsage`` with the wrong word.
    init(_ arguments: some Sequence<String>) throws {
        var rest = arguments.makeIterator()
        while let word = rest.next() {
            switch word {
            case "--rounds": rounds = try Self.number(after: word, rest.next(), in: 1...1000)
            case "--rows": rows = try Self.number(after: word, rest.next(), in: 1000...10_000_000)
            case "--list": isListing = true
            case "--count":
                guard let path = rest.next() else { throw BadUsage("\(word) takes a file.") }
                countFile = path
            case _ where word.hasPrefix("-"): throw BadUsage("There is no option \(word).")
            default: names.append(word)
            }
        }
    }

    private static func number(
        after option: String, _ text: String?, in range: ClosedRange<Int>
    ) throws -> Int {
        guard let text, let number = Int(text), range.contains(number) else {
            throw BadUsage(
                "\(option) takes a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

/// An error in the command line.
struct BadUsage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
