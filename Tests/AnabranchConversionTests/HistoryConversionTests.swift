import Anabranch
import AnabranchConversion
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

/// The persistent history of a source becomes change sets.
@Suite struct HistoryConversionTests {
    private typealias Finder = (String) throws -> ManagedObject

    /// The content of a store as rows of plain tables.
    private func content(of store: URL, in folder: TemporaryDirectory) throws -> [String] {
        let file = folder.url.appending(path: "\(UUID().uuidString).sqlite")
        _ = try TableExport(store: store).run(to: file)
        let connection = try Connection(path: file.path, mode: .readOnly)
        defer { connection.close() }
        let tables = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        return try tables.compactMap(\.first).flatMap { value -> [String] in
            guard case .text(let table) = value else { return [] }
            return try connection.rows("SELECT * FROM \(table)").map { "\(table) \($0)" }.sorted()
        }.sorted()
    }

    @Test func `each transaction is a change set with its author, context name and time`() throws {
        let source = try MadeSource(
            """
            \(HistoryTables.creation);
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'Anna'),
                (2, 16003, NULL, 'list');
            INSERT INTO ATRANSACTION (Z_PK, ZAUTHORTS, ZCONTEXTNAMETS, ZTIMESTAMP) VALUES
                (3, 1, 2, 1000.25), (4, NULL, NULL, 2000), (5, 1, NULL, 3000);
            INSERT INTO ATRANSACTION (Z_PK, ZAUTHOR, ZCONTEXTNAME, ZTIMESTAMP) VALUES
                (6, 'an old system', 'inline', 4000);
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZISHIDDEN) VALUES (1, 3, 1, 1), (2, 3, 1, 0);
            INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES
                (0, 3, 1, 3), (0, 3, 9, 3), (1, 3, 1, 4), (2, 3, 9, 4), (1, 3, 1, 5), (1, 5, 1, 5),
                (0, 3, 2, 6);
            """)
        let report = try source.convert()
        #expect(report.doubts.isEmpty, "\(report.doubts)")
        let history = try #require(report.history)
        #expect(history.transactionCount == 4 && history.keptTransactionCount == 3)
        #expect(history.deletedObjectCount == 1)
        let container = try source.open()
        let coordinator = container.coordinator
        defer { coordinator.close() }
        let all = try coordinator.history()
        #expect(all.map(\.author) == ["conversion", "Anna", "Anna", "an old system"])
        #expect(all.map(\.contextName) == ["", "list", "", "inline"])
        #expect(
            all.map { $0.date.timeIntervalSinceReferenceDate } == [0, 1000.25, 3000, 4000])
        let changes = all.map { transaction in
            transaction.changes.map { "\($0.kind) \($0.objectID.entity.name)" }
        }
        #expect(
            changes == [
                ["insert Part", "insert Tool"], ["insert Tag"], ["update Part", "update Tag"],
                ["insert Tag"],
            ])
    }

    @Test func `a reference enters when its object is there`() throws {
        let source = try MadeSource(
            """
            \(HistoryTables.creation);
            INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP) VALUES (1, 1), (2, 2), (3, 3);
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTHING, Z4_THING, Z_FOK_THING) VALUES
                (1, 2, 1, 3, 5, 2), (2, 2, 1, 3, 5, 1);
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (3, 5, 1, 'three');
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1);
            INSERT INTO Z_3THINGS VALUES (1, 3, 1, 1);
            INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES
                (0, 2, 1, 1), (0, 3, 1, 1), (0, 5, 3, 2), (0, 2, 2, 3);
            """)
        #expect(try source.convert().doubts.isEmpty)
        let container = try source.open()
        let all = try container.coordinator.history()
        container.coordinator.close()
        let changes = all.dropFirst().map { transaction in
            transaction.changes.map { "\($0.objectID.entity.name) \($0.updatedProperties)" }
                .filter { !$0.contains("tags") && !$0.contains("things") }
        }
        #expect(changes == [["Note []", "Tag []"], ["Part []", "Note [\"thing\"]"], ["Note []"]])
        try source.withObjects { (find: Finder) throws in
            #expect(
                Array(try find("Part/p3").objects(forKey: "notes"))
                    == [try find("Note/p2"), try find("Note/p1")])
        }
    }

    @Test(arguments: TestLength.seeds(80))
    func `the state is that of a conversion without the history`(_ seed: UInt64) async throws {
        let random = RandomHistory(seed: seed)
        let plain = try MadeSource(random.rows)
        let source = try MadeSource(random.rows + random.history)
        let expected = try plain.convert()
        let report = try source.convert()
        #expect(report.doubts.filter { $0.entity == ConversionDoubt.history }.isEmpty)
        #expect(Set(report.doubts) == Set(expected.doubts))
        #expect(report.objectCounts == expected.objectCounts)
        #expect(report.linkCount == expected.linkCount)
        #expect(
            try content(of: source.target, in: source.folder)
                == content(of: plain.target, in: source.folder))
        let container = try source.open()
        let coordinator = container.coordinator
        defer { coordinator.close() }
        let all = try coordinator.history()
        #expect(try coordinator.checkFile().isValid)
        try check(all, of: random, coordinator)
        try await checkReplica(of: coordinator, in: source.folder)
    }

    /// Compares the log with the saves of which something is left.
    private func check(
        _ all: [HistoryTransaction], of random: RandomHistory,
        _ coordinator: PersistentStoreCoordinator
    ) throws {
        #expect(all.map(\.timestamp) == all.map(\.timestamp).sorted())
        let left = Set(random.names)
        var lastChanges: [RandomHistory.Name: Int] = [:]
        for (place, save) in random.remembered.enumerated() {
            for name in save.updated.union(save.inserted) { lastChanges[name] = place }
        }
        var expected: [RandomHistory.Save] = []
        for (place, save) in random.remembered.enumerated() {
            var save = save
            save.inserted = save.inserted.filter(left.contains)
            save.updated = save.updated.filter { left.contains($0) && lastChanges[$0] == place }
            if !save.inserted.isEmpty || !save.updated.isEmpty { expected.append(save) }
        }
        let found = all.filter { $0.author != "conversion" }
        #expect(found.map(\.author) == expected.map(\.author))
        #expect(
            found.map { Int(($0.date.timeIntervalSinceReferenceDate * 1000).rounded()) }
                == expected.map(\.time))
        for (transaction, save) in zip(found, expected) {
            func ids(_ kind: HistoryTransaction.Change.Kind) -> Set<ManagedObjectID?> {
                Set(transaction.changes.filter { $0.kind == kind }.map(\.objectID))
            }
            let inserted = Set(try save.inserted.map { try id(of: $0, coordinator) })
            let updated = Set(try save.updated.map { try id(of: $0, coordinator) })
            #expect(ids(.insert) == inserted)
            #expect(ids(.update).isSuperset(of: updated))
            #expect(ids(.delete).isEmpty)
        }
    }

    private func id(
        of name: RandomHistory.Name, _ coordinator: PersistentStoreCoordinator
    ) throws -> ManagedObjectID? {
        let entity = ["", "Card", "Note", "Tag", "Thing", "Part", "Tool"][name.entity]
        let uri = "x-coredata://\(MadeSource.uuid)/\(entity)/p\(name.key)"
        return try coordinator.managedObjectID(
            forURIRepresentation: try #require(URL(string: uri)))
    }

    /// Checks that another replica that applies the change sets has the same state.
    private func checkReplica(
        of coordinator: PersistentStoreCoordinator, in folder: TemporaryDirectory
    ) async throws {
        let bundle = folder.url.appending(path: "all.bundle")
        try coordinator.exportBundle(to: bundle)
        let replica = PersistentContainer(
            model: MadeSource.model, url: folder.url.appending(path: "replica.store"))
        try replica.load()
        defer { replica.coordinator.close() }
        _ = try await replica.coordinator.importBundle(from: bundle)
        #expect(
            try replica.coordinator.canonicalHash() == coordinator.canonicalHash())
    }

    @Test func `what is wrong in a history is reported, and the objects are converted`() throws {
        let long = String(repeating: "ä", count: 600)
        let source = try MadeSource(
            """
            \(HistoryTables.creation);
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, '\(long)');
            INSERT INTO ATRANSACTION (Z_PK, ZAUTHORTS, ZTIMESTAMP) VALUES
                (1, 99, 100), (2, 1, 1e12), (3, NULL, 'soon'), (4, NULL, 50), (5, NULL, -7),
                (6, NULL, 9e300);
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1), (2, 3, 1), (3, 3, 1), (4, 3, 1);
            INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES
                (0, 3, 1, 2, NULL), (1, 3, 1, 1, x'FFFFFFFFFFFFFFFF'), (0, 3, 2, 77, NULL),
                (2, 3, 3, 3, NULL), (0, 99, 1, 1, NULL), (1, 3, 1234, 4, NULL),
                (8, 3, 4, 4, NULL), (NULL, NULL, NULL, NULL, NULL);
            """)
        let report = try source.convert()
        #expect(report.objectCounts["Tag"] == 4)
        #expect(
            report.doubts.map(\.description) == [
                "history: found the missing string 99 as the author of transaction 1, stored no "
                    + "author",
                "history: found the date 1000000000000.0 s after 2001 of transaction 2, stored "
                    + "the time of the transaction before it",
                "history: found 1200 bytes as the author of transaction 2, stored the first 1024 "
                    + "bytes",
                "history: found no time of transaction 3, stored the time of the transaction "
                    + "before it",
                "history: found the date 50.0 s after 2001 of transaction 4, stored the time of "
                    + "the transaction before it",
                "history: found the date -7.0 s after 2001 of transaction 5, stored the time of "
                    + "the transaction before it",
                "history: found the date 9e+300 s after 2001 of transaction 6, stored the time of "
                    + "the transaction before it",
                "history: found changes of 1 object of the unknown entity number 99, stored "
                    + "nothing",
                "history: found changes of 1 object that no transaction deleted, and that is "
                    + "missing, stored nothing",
                "history: found a deletion of 1 object that is there, stored no deletion",
                "history: found 3 changes of an unknown kind or transaction, stored nothing",
            ])
        let container = try source.open()
        let all = try container.coordinator.history()
        #expect(all.map { $0.date.timeIntervalSinceReferenceDate } == [0, 100])
        container.coordinator.close()
        let bytes = try Data(contentsOf: source.target)
        #expect(try source.convert().outcome == .unchanged)
        #expect(try Data(contentsOf: source.target) == bytes)
    }

    @Test func `tables that are no history of Core Data are reported and left out`() throws {
        let source = try MadeSource(
            """
            CREATE TABLE ACHANGE (a); CREATE TABLE ATRANSACTION (b);
            INSERT INTO ACHANGE VALUES (1);
            """
        )
        let report = try source.convert()
        #expect(report.history == nil)
        #expect(
            report.doubts.map(\.description)
                == ["history: found tables without the usual columns, stored no history"])
    }

    @Test(.needsFixtures) func `a store of the fixtures keeps its history`() throws {
        let folder = try TemporaryDirectory("anabranch-history")
        let fixture = FixtureStore(path: "alemar11-CoreDataPlus/SampleModel2_V2.sqlite")
        let target = folder.url.appending(path: "new.store")
        let report = try fixture.conversion().run(to: target)
        #expect(report.history?.transactionCount == 1)
        let plain = try fixture.copy(in: folder)
        try plain.execute("DROP TABLE ACHANGE; DROP TABLE ATRANSACTION")
        plain.close()
        let other = folder.url.appending(path: "plain.store")
        _ = try StoreConversion(source: URL(filePath: folder.file("copy.sqlite"))).run(to: other)
        #expect(try content(of: target, in: folder) == content(of: other, in: folder))
        let container = PersistentContainer(url: target)
        try container.load()
        defer { container.coordinator.close() }
        let all = try container.coordinator.history()
        #expect(all.map { Int($0.date.timeIntervalSinceReferenceDate) } == [737_057_651])
        #expect(all.map(\.changes.count) == [report.objectCount])
    }
}
