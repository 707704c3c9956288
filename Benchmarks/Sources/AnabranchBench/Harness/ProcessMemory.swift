import Foundation

enum ProcessMemory {
    /// The greatest number of bytes that a process has had in memory; 0 if it is not known.
    static func maximumBytes(of process: Int32) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        else { return 0 }
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (kilobytes ?? 0) * 1024
    }
}
