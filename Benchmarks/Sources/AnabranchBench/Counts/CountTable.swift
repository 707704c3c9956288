import Foundation

/// The file `Benchmarks/Counts.md`.
struct CountTable {
    let rows: [(operation: CountedOperation, counts: OperationCounts)]
    let swiftVersion: String
    let sqliteVersion: String
    let valgrindVersion: String
    let architecture: String

    var text: String {
        """
        # Counts

        `Scripts/bench --count` has written this file. It counts what does not depend on the speed \
        of a machine: \(swiftVersion), SQLite \(sqliteVersion), \(valgrindVersion), \(architecture).

        The table of the objects has 100,000 rows and an index. A list has 20 objects, a remote \
        change is one changed attribute, and *an object* means one of many in one fetch or save.

        Each operation runs in a process of its own with a release build, and all threads of that \
        process are counted. The server of an exchange is another process. Instructions and \
        allocations are counted by callgrind over a copy of the program without debug \
        information, system calls by `strace`. The difference between a run of many turns and one \
        of few, divided by the difference in turns, is the count of one operation. Statements, \
        transactions and pages come from SQLite's own trace and counters.

        - **Instructions** are those of the process, without those of the kernel.
        - **Statements** are begun by all connections, with `BEGIN` and `COMMIT`, without triggers.
        - **Transactions**: a single statement outside `BEGIN` and `COMMIT` is one too.
        - **Pages** are written to the write-ahead log by commits, without checkpoints.
        - **Allocations** are calls of `malloc`, `calloc`, `realloc`, `memalign`, `posix_memalign` \
        and `aligned_alloc`.

        What is rarer than once in twenty operations shows as 0. The thread that copies the \
        write-ahead log into the file is counted too.

        \(table)

        """
    }

    private var table: String {
        let head = [
            "operation", "instructions", "statements", "transactions", "writing", "pages",
            "system calls", "allocations",
        ]
        let lines =
            [
                head, ["---"] + Array(repeating: "--:", count: head.count - 1),
            ] + rows.map { [$0.operation.rawValue] + Self.cells($0.counts) }
        return lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static func cells(_ counts: OperationCounts) -> [String] {
        let others = [
            counts.statements, counts.transactions, counts.writeTransactions,
            counts.writtenPages, counts.systemCalls, counts.allocations,
        ]
        return [instructions(counts.instructions)] + others.map(short)
    }

    /// A count with four digits that mean something, in groups of three.
    private static func instructions(_ count: Double) -> String {
        var unit = 1.0
        while abs(count) / unit >= 10_000 { unit *= 10 }
        var digits = Array(String(Int((count / unit).rounded() * unit)))
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: place)
        }
        return String(digits)
    }

    /// A count with one decimal, unless that is a zero.
    private static func short(_ count: Double) -> String {
        let tenths = (count * 10).rounded()
        return tenths.truncatingRemainder(dividingBy: 10) == 0
            ? String(Int(tenths / 10)) : String(format: "%.1f", tenths / 10)
    }
}
