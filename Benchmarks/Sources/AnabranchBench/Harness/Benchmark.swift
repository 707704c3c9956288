/// An operation to measure, with its goal.
protocol Benchmark: Sendable {
    /// The name by which a command line selects it.
    static var name: String { get }
    /// A short description of the operation.
    static var summary: String { get }
    /// True if the benchmark takes so long that it runs only if it is named.
    static var isOnlyByName: Bool { get }

    func figures(_ workbench: Workbench) async throws -> [Figure]
}

extension Benchmark {
    var name: String { Self.name }
    var summary: String { Self.summary }
    static var isOnlyByName: Bool { false }
    var isOnlyByName: Bool { Self.isOnlyByName }
}

/// The folder, the programs and the extent of a run.
struct Workbench: Sendable {
    let rounds: Int
    let data: PeopleData
    /// The folder for this benchmark's files; removed when the benchmark is done.
    let folder: String
    /// The path of the server's program.
    let daemon: String
    /// The path of the client's program.
    let client: String

    var rows: Int { data.count }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
}
