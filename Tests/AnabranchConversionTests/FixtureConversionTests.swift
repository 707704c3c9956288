import Anabranch
import AnabranchConversion
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

/// The stores of the fixtures are converted and compared with what SQLite alone reads of them.
@Suite(.needsFixtures) struct FixtureConversionTests {
    private let folder: TemporaryDirectory
    private var target: URL { URL(filePath: folder.file("new.store")) }

    init() throws { folder = try TemporaryDirectory("anabranch-conversion") }

    private func open(_ url: URL) throws -> PersistentContainer {
        let container = PersistentContainer(url: url)
        try container.load()
        return container
    }

    @Test(arguments: FixtureStore.all)
    func `a converted store has as many objects as the source has rows`(
        _ store: FixtureStore
    ) throws {
        let report = try store.conversion().run(to: target)
        #expect(report.outcome == .created)
        let source = try store.copy(in: folder)
        let container = try open(target)
        defer { container.coordinator.close() }
        var rowCount = 0
        for (table, count) in try store.facts().rows where Source.isEntityTable(table) {
            rowCount += count
            let statement = try source.prepare(
                "SELECT Z_ENT, count(*) FROM \(table) GROUP BY Z_ENT")
            while try statement.step() {
                let name = try Source.entity(statement.int64(at: 0), in: table, source)
                #expect(report.objectCounts[name] == Int(statement.int64(at: 1)), "\(name)")
            }
        }
        #expect(report.objectCount == rowCount)
        try container.newBackgroundContext().performAndWait { context in
            for (name, count) in report.objectCounts {
                var request = FetchRequest<ManagedObject>(entityName: name)
                request.includesSubentities = false
                let found = try context.count(for: request)
                #expect(found == count, "\(name)")
            }
        }
    }

    @Test(arguments: FixtureStore.all)
    func `values and references are those of the source's columns`(_ store: FixtureStore) throws {
        let report = try store.conversion().run(to: target)
        let container = try open(target)
        defer { container.coordinator.close() }
        let source = try store.copy(in: folder)
        let comparison = SourceComparison(
            source: source, uuid: report.sourceUUID, coordinator: container.coordinator,
            doubtful: Set(report.doubts.map { "\($0.uri ?? "") \($0.property ?? "")" }))
        let compared = try container.newBackgroundContext().performAndWait { context in
            try comparison.compareAll(in: context)
        }
        #expect(report.objectCount == 0 || compared > report.objectCount)
        #expect(report.doubts.filter { $0.found.contains("no column") }.isEmpty)
    }

    @Test(arguments: FixtureStore.all)
    func `every inverse of a converted store agrees`(_ store: FixtureStore) throws {
        let report = try store.conversion().run(to: target)
        let container = try open(target)
        defer { container.coordinator.close() }
        try container.newBackgroundContext().performAndWait { context in
            for entity in report.model.entities {
                var request = FetchRequest<ManagedObject>(entityName: entity.name)
                request.includesSubentities = false
                for object in try context.fetch(request) {
                    try checkInverses(of: object, entity)
                }
            }
        }
    }

    private func checkInverses(of object: ManagedObject, _ entity: EntityDescription) throws {
        for relationship in entity.relationships {
            guard let inverse = relationship.inverse else { continue }
            for other in try object.related(by: relationship) {
                let back = try other.related(by: inverse)
                #expect(
                    back.contains { $0 === object }, "\(relationship) of \(object.objectID)")
            }
        }
    }

    @Test(arguments: FixtureStore.all)
    func `a second conversion changes nothing`(_ store: FixtureStore) throws {
        let first = try store.conversion().run(to: target)
        let bytes = try Data(contentsOf: target)
        let second = try store.conversion().run(to: target)
        #expect(second.outcome == .unchanged)
        #expect(second.objectCounts == first.objectCounts)
        #expect(second.doubts == first.doubts)
        #expect(try Data(contentsOf: target) == bytes)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter { $0.hasSuffix(".partial") }.isEmpty)
    }

    @Test(arguments: FixtureStore.all)
    func `two conversions of a source make the same objects and the same save`(
        _ store: FixtureStore
    ) async throws {
        let other = URL(filePath: folder.file("other.store"))
        _ = try store.conversion().run(to: target)
        _ = try store.conversion().run(to: other)
        let containers = [try open(target), try open(other)]
        defer { for container in containers { container.coordinator.close() } }
        let hashes = try containers.map { try $0.coordinator.canonicalHash() }
        #expect(hashes[0] == hashes[1])
        let bundle = URL(filePath: folder.file("a.bundle"))
        try containers[0].coordinator.exportBundle(to: bundle)
        let imported = try await containers[1].coordinator.importBundle(from: bundle)
        #expect(imported.appliedCount == 0)
        #expect(try containers[1].coordinator.canonicalHash() == hashes[0])
    }

    @Test(arguments: FixtureStore.all)
    func `the source and the files beside it stay as they are`(_ store: FixtureStore) throws {
        let source = try TemporaryDirectory("anabranch-source")
        let original = try store.url
        for suffix in ["", "-wal", "-shm"] {
            let file = URL(filePath: original.path + suffix)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try Data(contentsOf: file).write(
                to: source.url.appending(path: original.lastPathComponent + suffix))
        }
        let before = try contents(of: source)
        var conversion = try store.conversion()
        conversion = StoreConversion(
            source: source.url.appending(path: original.lastPathComponent),
            model: conversion.model)
        _ = try conversion.run(to: target)
        #expect(try contents(of: source) == before)
    }

    private func contents(of folder: TemporaryDirectory) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: folder.url.appending(path: $0)))
            })
    }

    @Test(arguments: FixtureStore.all)
    func `a converted store passes its check and saves under another replica`(
        _ store: FixtureStore
    ) throws {
        let report = try store.conversion().run(to: target)
        let container = try open(target)
        defer { container.coordinator.close() }
        #expect(try container.coordinator.checkFile().isValid)
        let before = try container.coordinator.replicaID
        let entity = try #require(report.model.entities.first { !$0.isAbstract })
        _ = try container.newBackgroundContext().performAndWait { context in
            try context.insert(entity.name).objectID
        }
        #expect(try container.coordinator.replicaID != before)
    }
}
