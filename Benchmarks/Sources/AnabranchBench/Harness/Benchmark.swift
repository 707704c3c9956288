/// Something that is measured, with the limit or the goal that it is held against.
protocol Benchmark: Sendable {
    /// What a person types to run it alone.
    static var name: String { get }
    /// What it does, in half a line.
    static var summary: String { get }

    func figures(_ workbench: Workbench) async throws -> [Figure]
}

extension Benchmark {
    var name: String { Self.name }
    var summary: String { Self.summary }
}

/// Where a benchmark works and how much.
struct Workbench: Sendable {
    let rounds: Int
    let data: PeopleData
    /// For this benchmark's files; removed with everything in it when the benchmark is done.
    let folder: String
    /// The server's program.
    let daemon: String
    /// The client's program.
    let client: String

    var rows: Int { data.count }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
}
