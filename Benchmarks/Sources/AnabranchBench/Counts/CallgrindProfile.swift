import Foundation

/// What valgrind's callgrind has counted in all threads of a process.
struct CallgrindProfile {
    /// The instructions, without those of the kernel.
    var instructions = 0
    /// The calls that allocate memory, `realloc` included.
    var allocations = 0

    private static let allocators: Set = [
        "malloc", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc",
    ]
    /// The C library's own function that all aligned allocations call, and that calls `malloc`.
    private static let alignedAllocation = "_mid_memalign"

    /// Reads a profile.
    ///
    /// A function has its name only where it is first mentioned, and a number everywhere. The line
    /// after a called function has the number of calls.
    ///
    /// Source: "Callgrind Format Specification" in Valgrind's manual.
    init(_ file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        var names: [Substring: Substring] = [:]
        func name(_ line: Substring) -> Substring {
            let parts = line.drop { $0 != "(" }.split(separator: " ", maxSplits: 1)
            guard let number = parts.first else { return "" }
            // A recursive call has its depth after an apostrophe.
            if parts.count == 2 { names[number] = parts[1].prefix { $0 != "'" } }
            return names[number] ?? ""
        }
        var (caller, called): (Substring, Substring) = ("", "")
        for line in text.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init) {
            if line.hasPrefix("fn=") {
                caller = name(line)
            } else if line.hasPrefix("cfn=") {
                called = name(line)
            } else if line.hasPrefix("calls="), Self.allocators.contains(String(called)),
                !caller.hasPrefix(Self.alignedAllocation)
            {
                allocations += Int(line.dropFirst(6).prefix { $0 != " " }) ?? 0
            } else if line.hasPrefix("totals:") {
                let count = line.split(separator: " ").dropFirst().first
                instructions = count.flatMap { Int($0) } ?? 0
            }
        }
        guard instructions > 0 else { throw Unexpected("callgrind wrote no instructions") }
    }
}
