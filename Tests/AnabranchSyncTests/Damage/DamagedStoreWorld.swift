import Anabranch
import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// The stores that make the sample: `a`, which becomes it, two that edit concurrently, one of them
/// with a later model, and one that only writes a bundle.
final class DamagedStoreWorld {
    private let folder: TemporaryDirectory
    private let clock = SettableClock()
    private let zone: ZoneService
    private var a: PersistentStoreCoordinator
    private let b: PersistentStoreCoordinator

    private static let day: Int64 = 86_400_000

    init() throws {
        folder = try TemporaryDirectory("damaged-store")
        zone = try DamagedStoreSample.openZone(folder.file("zone.db"), clock)
        a = try DamagedStoreSample.openStore(folder.file("a.db"), version: 1, clock, seed: 1)
        b = try DamagedStoreSample.openStore(folder.file("b.db"), version: 1, clock, seed: 2)
    }

    func sample() async throws -> DamagedStoreSample {
        try insertPeople()
        try await sync(a, b)
        try edit(b, "there")
        try edit(a, "here")
        try await sync(a, b, a, b)
        try await upgrade()
        try await saveFromLaterModel()
        try await trim()
        try savePending()
        let bundle = try await importIncompleteBundle()
        try stageSnapshot()
        a.close()
        b.close()
        zone.close()
        try insertRest()
        return DamagedStoreSample(
            store: try content("a.db"), zone: try content("zone.db"), bundle: bundle,
            milliseconds: clock.milliseconds)
    }

    private func content(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: folder.file(name)))
    }

    private func sync(_ stores: PersistentStoreCoordinator...) async throws {
        for store in stores {
            try await DamagedStoreSample.engine(store, zone, clock).synchronize()
            clock.milliseconds += 1000
        }
    }

    private func save(
        _ store: PersistentStoreCoordinator, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        clock.milliseconds += 1000
        try BackgroundContext(coordinator: store).performAndWait { context in
            context.transactionAuthor = "author"
            try body(context)
            try context.save()
        }
    }

    private func people(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        let people = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
        return people.sorted { "\($0["first"])" < "\($1["first"])" }
    }

    // MARK: - The first version

    private func insertPeople() throws {
        try save(a) { context in
            let teams = try (0..<3).map { _ in try context.insert("Team") }
            for number in 0..<8 {
                let person = try context.insert(number == 7 ? "Manager" : "Person")
                try Self.fill(person, number)
                let desk = try context.insert("Desk")
                try desk.setValue("place \(number)", forKey: "place")
                try person.setObject(desk, forKey: "desk")
                try person.objects(forKey: "teams").formUnion(teams)
                let tasks = try (0..<3).map { _ in try context.insert("Task") }
                try person.list(forKey: "tasks").append(contentsOf: tasks)
            }
            let people = context.insertedObjects.filter { $0.entity.root.name == "Person" }
                .sorted { "\($0["first"])" < "\($1["first"])" }
            for (number, team) in teams.enumerated() {
                try team.setValue("team \(number)", forKey: "title")
                try team.list(forKey: "ranked").append(contentsOf: people)
            }
        }
    }

    private static func fill(_ person: ManagedObject, _ number: Int) throws {
        try person.setValue("person \(number)", forKey: "name")
        try person.setValue("\(number)", forKey: "first")
        try person.setValue("\(number)@example.org", forKey: "email")
        try person.setValue(Int16(number), forKey: "age")
        try person.setValue(Decimal(number) / 4, forKey: "balance")
        try person.setValue(Double(number) / 3, forKey: "score")
        try person.setValue(Date(timeIntervalSince1970: Double(number)), forKey: "born")
        try person.setValue(number % 2 == 0, forKey: "isActive")
        try person.setValue(Data(repeating: UInt8(number), count: 9), forKey: "photo")
        let byte = UInt8(number)
        let token = UUID(uuid: (byte, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
        try person.setValue(token, forKey: "token")
        try person.setValue(URL(string: "https://example.org/\(number)"), forKey: "site")
        try person.setValue("note \(number)", forKey: "notes")
        try person.setValue(number, forKey: "votes")
        try person.setValue(Decimal(number) / 2, forKey: "money")
        try person.setValue(number, forKey: "best")
        try person.setValue(number, forKey: "low")
        try person.setValue(number + 1, forKey: "high")
        try person.setValue("nick \(number)", forKey: "nickname")
    }

    /// Writes what conflicts with the same edits of another store: registers, keys, cycles, pairs,
    /// lists, a deletion.
    private func edit(_ store: PersistentStoreCoordinator, _ place: String) throws {
        let isHere = place == "here"
        try save(store) { context in
            let people = try people(context)
            for (number, person) in people.enumerated() {
                try person.setValue("\(place) \(number)", forKey: "name")
                try person.setValue("note \(place)", forKey: "notes")
                try person.setValue(number + 10, forKey: "votes")
                try person.setValue(number + (isHere ? 5 : 6), forKey: "high")
                try person.setValue("nick \(place)", forKey: "nickname")
                try person.setObject(people[(number + 1) % people.count], forKey: "mentor")
                let tasks = try person.list(forKey: "tasks")
                tasks.move(from: isHere ? 0 : 1, to: 2)
                try person.objects(forKey: "friends").insert(people[(number + 2) % people.count])
            }
            let (first, second) = isHere ? (people[0], people[1]) : (people[1], people[0])
            try first.setObject(second, forKey: "boss")
            try people[isHere ? 2 : 3].setObject(people[4], forKey: "partner")
            try people[isHere ? 5 : 6].setValue("same@example.org", forKey: "email")
            let desk = try people[0].object(forKey: "desk")
            try people[isHere ? 2 : 3].setObject(desk, forKey: "desk")
            if isHere, let gone = try people[4].object(forKey: "desk") { context.delete(gone) }
            let teams = try context.fetch(FetchRequest<ManagedObject>(entityName: "Team"))
            for team in teams { try team.list(forKey: "ranked").move(from: 0, to: isHere ? 3 : 5) }
            let draft = try context.insert("Draft")
            try draft.setValue("draft", forKey: "text")
        }
        try save(store) { context in
            let drafts = try context.fetch(FetchRequest<ManagedObject>(entityName: "Draft"))
            for draft in drafts { try draft.setValue(5, forKey: "size") }
            if !isHere { context.delete(try people(context)[7]) }
        }
    }

    // MARK: - Later versions

    private func upgrade() async throws {
        a.close()
        a = try DamagedStoreSample.openStore(folder.file("a.db"), version: 2, clock, seed: 3)
        try save(a) { try people($0)[0].setValue(9, forKey: "rank") }
        try save(b) { context in
            let people = try people(context)
            try people[0].setObject(people[3], forKey: "mentor")
            try people[1].setValue("nick again", forKey: "nickname")
        }
        try await sync(b, a)
    }

    private func saveFromLaterModel() async throws {
        let c = try DamagedStoreSample.openStore(folder.file("c.db"), version: 3, clock, seed: 4)
        defer { c.close() }
        try await sync(c)
        try save(c) { context in
            let people = try people(context)
            for number in 0..<3 {
                let badge = try context.insert("Badge")
                try badge.setValue("badge \(number)", forKey: "title")
                try badge.objects(forKey: "holders").formUnion(people)
            }
            for person in people { try person.setValue("red", forKey: "color") }
        }
        try save(c) { context in
            let badges = try context.fetch(FetchRequest<ManagedObject>(entityName: "Badge"))
            for badge in badges { try badge.setValue("again", forKey: "title") }
        }
        try await sync(c, a)
    }

    // MARK: - The tables that are empty most of the time

    private func trim() async throws {
        clock.milliseconds += 40 * Self.day
        for number in 0..<3 {
            try save(a) { try people($0)[number].setValue(Int16(number), forKey: "age") }
        }
        // An exchange removes from the log what is older than a month.
        try await sync(a, b)
        try save(a) { try $0.insert("Draft").setValue("late", forKey: "text") }
    }

    /// Leaves a save and a save in parts that the zone does not have.
    private func savePending() throws {
        try save(a) { try people($0)[2].setValue("pending", forKey: "name") }
        try save(a) { context in
            for person in try people(context) {
                let bytes = (0..<15_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
                try person.setValue(Data(bytes), forKey: "photo")
            }
        }
    }

    /// Imports change sets of which the first one is missing.
    ///
    /// - Returns: A bundle with all of them.
    private func importIncompleteBundle() async throws -> Data {
        let d = try DamagedStoreSample.openStore(folder.file("d.db"), version: 2, clock, seed: 5)
        defer { d.close() }
        for number in 0..<4 {
            try save(d) { try Self.fillLater($0.insert("Person"), number) }
        }
        let first = try d.changeSets(limit: 1)
        let (part, whole) = (folder.file("part"), folder.file("whole"))
        let base = first.map { BundleBase.Head(dot: $0.changeSet.dot, originPrefix: nil) }
        _ = try d.store.exportBundle(to: part, lacking: .heads(base))
        _ = try d.store.exportBundle(to: whole)
        let outcome = try a.store.importBundle(from: part) { _ in }
        #expect(outcome.waitingCount == 3)
        return try content("whole")
    }

    private static func fillLater(_ person: ManagedObject, _ number: Int) throws {
        try person.setValue("later \(number)", forKey: "name")
        try person.setValue("z\(number)", forKey: "first")
    }

    private func stageSnapshot() throws {
        let cursor = try #require(try a.store.syncState().cursor)
        let later = LogCursor(
            epoch: cursor.epoch, position: cursor.position + 5, digestHigh: 1, digestLow: 2)
        let snapshot = StagedSnapshot(
            cursor: later, digest: Digest(of: [1, 2, 3]), chunkCount: 4)
        for number in 0..<UInt64(2) {
            try a.store.stage([1, 0, 0, 0], number: number, of: snapshot)
        }
        try a.store.recordEpochs([DamagedStoreSample.epoch, EpochID(high: 1, low: 1)])
        let ids = try BackgroundContext(coordinator: a).performAndWait { context in
            try people(context).prefix(2).map { try $0.objectID.recordID }
        }
        try a.store.queueForRepair(ids)
    }

    /// Inserts rows that take long to come about.
    private func insertRest() throws {
        let connection = try Connection(path: folder.file("a.db"))
        defer { connection.close() }
        try connection.execute(
            """
            INSERT INTO ab_rejected (cause, origin, code, reason, noticed, change_set)
            SELECT CASE seq WHEN 2 THEN NULL ELSE 1 END, origin, 'validation-failed', 'because',
                1700000000000, bytes FROM ab_waiting ORDER BY seq;
            INSERT INTO ab_former_link (owner, name, other)
            SELECT ab_pk, 'mentor', ab_pk + 1 FROM Person LIMIT 3;
            PRAGMA journal_mode = DELETE
            """)
    }
}
