import Foundation

enum ProcessMemory {
    /// The greatest number of bytes that a process has had in memory; 0 if it is not known.
    static func maximumBytes(of process: Int32) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        else { return 0 }
        return bytes(of: "VmHWM:", in: text)
    }

    /// The number of bytes that this process has in memory; 0 if it is not known.
    static var currentBytes: Int {
        (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))
            .map { bytes(of: "VmRSS:", in: $0) } ?? 0
    }

    private static func bytes(of name: String, in text: String) -> Int {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (kilobytes ?? 0) * 1024
    }
}
