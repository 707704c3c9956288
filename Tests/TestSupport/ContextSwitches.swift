import Foundation

/// How often the system has run each thread of a process. It shows how often something in the
/// process wakes up, on a fast and on a slow machine.
package struct ContextSwitches: Sendable {
    /// The switches of each thread since it began, by the system's number of the thread.
    private let threads: [String: Int]

    /// Counts the context switches of the threads that a process has now.
    ///
    /// - Returns: `nil` if there is no such process, or if the system does not report them.
    package init?(ofProcess identifier: Int32) {
        let folder = "/proc/\(identifier)/task"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return nil
        }
        var threads: [String: Int] = [:]
        for name in names {
            // A thread may end while the others are read.
            let text = try? String(contentsOfFile: "\(folder)/\(name)/status", encoding: .utf8)
            threads[name] = text.map(Self.count)
        }
        self.threads = threads
    }

    /// The number of switches since an earlier count. Threads that have ended meanwhile are not
    /// counted.
    package func count(since earlier: ContextSwitches) -> Int {
        threads.reduce(0) { $0 + $1.value - (earlier.threads[$1.key] ?? 0) }
    }

    /// The voluntary and the other switches of a thread.
    private static func count(in status: String) -> Int {
        status.split(separator: "\n").filter { $0.contains("ctxt_switches:") }
            .compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }.reduce(0, +)
    }
}
