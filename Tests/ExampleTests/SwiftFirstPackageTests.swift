import Foundation
import TestSupport
import Testing

/// Builds and runs a package in a temporary folder that depends on this one by its path.
@Suite(.waiting) struct `A package that depends on Anabranch by path` {
    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "Diary", platforms: [.macOS(.v15)],
            dependencies: [.package(name: "Anabranch", path: "%")],
            targets: [
                .executableTarget(
                    name: "Diary",
                    dependencies: [.product(name: "Anabranch", package: "Anabranch")],
                    swiftSettings: [.treatAllWarnings(as: .error)])
            ],
            swiftLanguageModes: [.v6])

        """

    /// A program that has no model but its classes. Each run adds a day and prints it.
    private static let program = #"""
        import Anabranch
        import Foundation

        @Entity
        final class Day: ManagedObject {
            #Index<Day>([\.number, \.weather])
            @Attribute(.unique) var number: Int64 = 0
            var weather: String = "fine"
            @Relationship(deleteRule: .cascade, inverse: \Line.day)
            var lines: ManagedObjectList<Line>
        }

        @Entity
        final class Line: ManagedObject {
            @Attribute(mergeRule: .counter) var readings: Int64 = 0
            var text: String?
            var day: Day?
        }

        @main
        enum Diary {
            static func main() async throws {
                let model = try ManagedObjectModel(Day.self, Line.self)
                let container = PersistentContainer(
                    model: model, classes: [Day.self, Line.self], url: URL(filePath: "diary.store"))
                try container.load()
                try await container.performBackgroundTask { context in
                    let count = try context.count(for: FetchRequest<Day>())
                    let day = try context.insert(Day.self)
                    day.number = Int64(count + 1)
                    for text in ["Rose.", "Read."] {
                        let line = try context.insert(Line.self)
                        line.text = text
                        day.lines.append(line)
                    }
                    try context.save()
                    let texts = day.lines.map { "\($0.text ?? "") \($0.readings)" }
                    print(day.number, day.weather, texts.joined(separator: ", "))
                }
            }
        }

        """#

    @Test(.longest) func `builds and runs with classes as its whole model`() throws {
        let folder = try TemporaryDirectory("diary")
        let sources = folder.url.appending(path: "Sources/Diary")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Self.manifest.replacing("%", with: SwiftCommand.package.path).write(
            to: folder.url.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
        try Self.program.write(
            to: sources.appending(path: "Diary.swift"), atomically: true, encoding: .utf8)
        let build = try SwiftCommand.run(["build", "--product", "Diary"], in: folder.url)
        try #require(build.status == 0, "\(build.output)")
        for number in 1...2 {
            let run = try SwiftCommand.run(["run", "--skip-build", "Diary"], in: folder.url)
            #expect(run.status == 0, "\(run.output)")
            #expect(run.output.contains("\(number) fine Rose. 0, Read. 0\n"))
        }
    }
}
