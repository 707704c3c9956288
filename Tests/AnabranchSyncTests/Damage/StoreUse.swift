import Anabranch
import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport

@testable import AnabranchSync

/// Every operation on a store that may be damaged, one after the other. A trap ends the test's
/// process.
final class StoreUse {
    private let folder: TemporaryDirectory
    private let clock: SettableClock
    private(set) var errors: [String: any Error] = [:]

    /// - Parameter folder: A folder with the files `a.db`, `zone.db` and `bundle`.
    init(in folder: TemporaryDirectory, at milliseconds: Int64) {
        self.folder = folder
        clock = SettableClock(milliseconds + 86_400_000)
    }

    private func attempt(_ name: String, _ body: () throws -> Void) {
        do { try body() } catch { errors[name] = error }
    }

    private func attemptExchange(_ name: String, _ body: () async throws -> Void) async {
        do { try await body() } catch { errors[name] = error }
    }

    func run() async throws {
        let zone = try DamagedStoreSample.openZone(folder.file("zone.db"), clock)
        defer { zone.close() }
        await attemptExchange("open") {
            let store = try DamagedStoreSample.openStore(
                folder.file("a.db"), version: nil, clock, seed: 6)
            defer { store.close() }
            read(store.store)
            readViews(store.store)
            edit(store)
            await exchange(store, zone)
            change(store.store)
            await replace(store, zone)
        }
        attempt("migrate") {
            let store = try DamagedStoreSample.openStore(
                folder.file("a.db"), version: 3, clock, seed: 7)
            defer { store.close() }
            attempt("fetch after migration") { try fetchAll(store) }
        }
    }

    // MARK: - Reading

    private func read(_ store: Store) {
        attempt("hash") { _ = try store.canonicalHash() }
        attempt("checksum") { _ = try store.checksum() }
        attempt("check") { _ = try store.check() }
        attempt("state") { _ = try store.syncState() }
        attempt("status") { _ = try SyncStatus(of: store) }
        attempt("pending") { _ = try store.pendingSaves() }
        attempt("entries") { _ = try store.pending(byteLimit: .max) }
        attempt("repairs") { _ = try store.recordsToRepair(limit: 100) }
        attempt("minimum version") { _ = try store.minimumVersion() }
        attempt("zone entities") { _ = try store.zoneEntities() }
        attempt("rehearse") { _ = try store.rehearseMigration(to: EveryFeatureModel.make(3)) }
        attempt("foreign changes") { _ = try store.foreignChanges(after: HistoryProgress()) }
        attempt("log") {
            let sets = try store.read { try $0.changeSets(after: 0, limit: .max) }
            for set in sets { try store.forEachBlock(of: set.changeSet) { _ in } }
            for set in sets { _ = try store.read { try $0.changeSet(set.changeSet.dot) } }
        }
        attempt("conflicts") {
            for conflict in try store.conflicts() { _ = try store.entity(of: conflict) }
            _ = try store.conflictCount()
        }
        attempt("rejected") {
            for save in try store.rejectedSaves() { _ = try save.operations() }
        }
        attempt("vector") { _ = try store.read { try $0.versionVector() } }
        attempt("export") {
            _ = try store.exportBundle(to: folder.file("exported"), lacking: .nothing)
        }
    }

    private func readViews(_ store: Store) {
        attempt("unsynced") { _ = try store.read { try $0.unsyncedSaves(after: 0, limit: 100) } }
        attempt("hidden") { _ = try store.read { try $0.hiddenWrites() } }
        attempt("orphans") { _ = try store.read { try $0.orphans() } }
        attempt("duplicates") {
            _ = try store.read { try ($0.duplicates(), $0.duplicateCount()) }
        }
        attempt("estimates") {
            for entity in store.model.entities {
                _ = try store.read { try $0.estimatedCount(of: entity, ifMoreThan: 1) }
            }
        }
    }

    // MARK: - Contexts

    private func fetchAll(_ store: PersistentStoreCoordinator) throws {
        try BackgroundContext(coordinator: store).performAndWait { context in
            for entity in store.model.entities {
                let request = FetchRequest<ManagedObject>(entityName: entity.name)
                for object in try context.fetch(request) { readProperties(of: object) }
                _ = try context.count(for: request)
            }
        }
    }

    private func readProperties(of object: ManagedObject) {
        attempt("read object") {
            for attribute in object.entity.attributes {
                _ = try object.value(forKey: attribute.name)
            }
            for relationship in object.entity.relationships {
                if relationship.isOrdered {
                    _ = try object.list(forKey: relationship.name).objects
                } else if relationship.isToMany {
                    _ = try object.objects(forKey: relationship.name).objects
                } else {
                    _ = try object.object(forKey: relationship.name)
                }
            }
        }
    }

    private func edit(_ store: PersistentStoreCoordinator) {
        attempt("fetch") { try fetchAll(store) }
        attempt("history") { _ = try store.history() }
        for (number, name) in ["insert", "edit", "lists", "delete"].enumerated() {
            attempt(name) {
                try BackgroundContext(coordinator: store).performAndWait { context in
                    try edit(context, number)
                    try context.save()
                }
            }
        }
        attempt("restore") {
            for conflict in try store.conflicts().prefix(20) {
                try BackgroundContext(coordinator: store).performAndWait { context in
                    _ = try context.restore(conflict)
                    try context.save()
                }
            }
        }
    }

    private func edit(_ context: ManagedObjectContext, _ step: Int) throws {
        let people = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
        if step == 0 {
            let person = try context.insert("Manager")
            try person.setValue("new", forKey: "name")
            try person.setValue("new@example.org", forKey: "email")
            try context.insert("Draft").setValue("new", forKey: "text")
        }
        for (number, person) in people.enumerated() where step == 1 {
            try person.setValue("edited", forKey: "name")
            try person.setValue("edited", forKey: "notes")
            try person.setValue(number, forKey: "high")
            try person.setValue(number + 5, forKey: "votes")
            try person.setObject(number == 0 ? nil : people[0], forKey: "boss")
            try person.setObject(people[(number + 1) % people.count], forKey: "partner")
            try person.objects(forKey: "friends").insert(people[(number + 5) % people.count])
        }
        if step == 2 {
            for team in try context.fetch(FetchRequest<ManagedObject>(entityName: "Team")) {
                let list = try team.list(forKey: "ranked")
                if list.count > 2 { list.move(from: 0, to: 2) }
                try team.objects(forKey: "members").removeAll()
            }
            for person in people {
                let tasks = try person.list(forKey: "tasks")
                if tasks.count > 2 { tasks.move(from: 2, to: 0) }
                tasks.append(try context.insert("Task"))
            }
        }
        if step == 3 {
            for person in people.suffix(2) { context.delete(person) }
            let desks = try context.fetch(FetchRequest<ManagedObject>(entityName: "Desk"))
            for desk in desks.suffix(3) { context.delete(desk) }
        }
    }

    // MARK: - Other stores

    private func exchange(_ store: PersistentStoreCoordinator, _ zone: ZoneService) async {
        for time in ["first", "second"] {
            await attemptExchange("\(time) sync") {
                try await DamagedStoreSample.engine(store, zone, clock).synchronize()
            }
        }
        attempt("import") {
            _ = try store.store.importBundle(from: folder.file("bundle")) { _ in }
        }
        await attemptExchange("verify") {
            _ = try await DamagedStoreSample.engine(store, zone, clock).verify(repairing: true)
        }
    }

    private func change(_ store: Store) {
        attempt("divide") {
            for entry in try store.pending(byteLimit: .max) {
                let dot = entry.changeSet.dot
                _ = try store.renameBranch(dot, to: nil)
                _ = try store.raise(dot, above: entry.changeSet.timestamp)
            }
        }
        attempt("restamp") {
            let limit = HybridTimestamp(wallMilliseconds: clock.milliseconds - 100_000)
            _ = try store.restamp(above: limit, clockOffsetMilliseconds: 5)
        }
        attempt("rewind") {
            guard let cursor = try store.syncState().cursor else { return }
            _ = try store.rewind(to: LogCursor(startOf: cursor.epoch))
        }
        attempt("compact") {
            _ = try store.compact(keeping: LogRetention(age: .seconds(86_400), leastAge: .zero))
        }
        attempt("stamps") { try store.removeUnusedStamps() }
        attempt("purge") { _ = try store.purgeConflicts(.all) }
    }

    /// Replaces the records by a snapshot of the zone.
    private func replace(_ store: PersistentStoreCoordinator, _ zone: ZoneService) async {
        attempt("want snapshot") { try store.store.wantSnapshot() }
        await attemptExchange("load snapshot") {
            try await DamagedStoreSample.engine(store, zone, clock).synchronize()
        }
        attempt("hash at the end") { _ = try store.store.canonicalHash() }
    }
}
