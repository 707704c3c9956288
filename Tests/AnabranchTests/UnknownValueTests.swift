import Anabranch
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of values that a newer version of an app has saved, and that this one has no case for.
@Suite struct `Unknown values` {
    private let directory: TemporaryDirectory
    private let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("unknown-values")
        container = try PersistentContainer(
            for: Weather.self, url: URL(filePath: directory.file("weather.store")))
        try container.load()
    }

    /// Inserts an object as a newer version saves it.
    private func insert(_ context: ManagedObjectContext) throws -> Weather {
        let weather = try context.insert(Weather.self)
        for key in ["sky", "wind", "report.sky"] {
            try weather.setValue("tornado", forKey: key)
        }
        try weather.setValue("Bern", forKey: "report.place")
        try context.save()
        try context.refreshAllObjects()
        return weather
    }

    @Test func `an unknown value is reported, and stays at other saves`() async throws {
        let context = container.newBackgroundContext()
        let errors = try await context.perform { $0.accessErrors() }
        try await context.perform { context in
            let weather = try insert(context)
            #expect(weather.sky == .clear && weather.wind == nil && weather.report?.sky == nil)
            #expect(context.pendingErrors.isEmpty)
            weather.degrees = 30
            weather.report?.place = "Biel"
            try context.save()
            try context.refreshAllObjects()
            for key in ["sky", "wind", "report.sky"] {
                #expect(try weather.value(forKey: key) == .string("tornado"))
            }
            #expect(weather.report?.place == "Biel")
        }
        var keys: [String?] = []
        for await error in errors {
            let error = try #require(error as? PropertyError)
            #expect(error.code == .unknownValue && error.message.contains("'tornado'"))
            keys.append(error.property)
            if keys.count == 3 { break }
        }
        #expect(keys == ["sky", "wind", "report.sky"])
    }

    @Test func `reading an unknown value by name throws, and a set value replaces it`() throws {
        try container.newBackgroundContext().performAndWait { context in
            let weather = try insert(context)
            let error = #expect(throws: PropertyError.self) {
                try weather.value(forKey: "wind", as: Sky?.self)
            }
            #expect(error?.code == .unknownValue && error?.property == "wind")
            weather.wind = .cloudy
            weather.report?.sky = .clear
            try context.save()
            #expect(weather.wind == .cloudy && weather.report?.sky == .clear)
        }
    }

    @Test func `an enum can read unknown values as a case of its own`() throws {
        try container.newBackgroundContext().performAndWait { context in
            let weather = try context.insert(Weather.self)
            try weather.setValue("tornado", forKey: "trend")
            #expect(weather.trend == .other)
            try context.save()
            #expect(try weather.value(forKey: "trend") == .string("tornado"))
        }
    }
}

private enum Sky: String, AttributeEnum { case clear, cloudy }

private enum Trend: String, AttributeEnum {
    case up, down, other

    static func reading(_ value: PropertyValue) -> Trend? {
        String.reading(value).map { Trend(rawValue: $0) ?? .other }
    }
}

@Composite private struct Report {
    var place: String?
    var sky: Sky?
}

@Entity private final class Weather: ManagedObject {
    var degrees: Int = 0
    var sky: Sky = .clear
    @Attribute var wind: Sky?
    var trend: Trend = .up
    @Attribute(.composite) var report: Report?
}
