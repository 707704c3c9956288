import Anabranch
import AnabranchReplication
import AnabranchStore
import Dispatch
import Foundation

/// `TracedPaths FOLDER` runs a save, a pull and a fetch, and writes for each of them which code ran
/// into a file of the folder, such as `save.profraw`.
///
/// `PathTests` compiles it together with modules that count their branches.
@main
@MainActor
struct TracedPaths {
    private let folder: URL
    private let author: PersistentContainer
    private let reader: PersistentContainer

    static func main() async throws {
        let paths = try TracedPaths(folder: URL(filePath: CommandLine.arguments[1]))
        try await paths.run()
    }

    private init(folder: URL) throws {
        self.folder = folder
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64, optional: false, default: 0)
            }
        }
        let containers = try ["author", "reader"].map { name in
            var description = PersistentStoreDescription(
                url: folder.appending(path: "\(name).store"))
            // Code in the background belongs to no operation.
            description.followsOtherProcesses = false
            let container = PersistentContainer(model: model, storeDescription: description)
            try container.load()
            return container
        }
        (author, reader) = (containers[0], containers[1])
    }

    /// Does everything once before it is traced, so that the traces have no first uses.
    private func run() async throws {
        let context = author.viewContext
        var people = FetchRequest<ManagedObject>(entityName: "Person")
        people.fetchLimit = 20
        for _ in 0..<30 { try insertPerson() }
        try await pull(isTraced: false)
        let shown = try readNames(people, in: reader.viewContext)

        try insertPerson(isTraced: true)
        // What the author's context does at the end of its event is no part of the pull.
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        try await pull(isTraced: true)
        for isTraced in [false, true] {
            context.reset()
            if isTraced { beginTrace() }
            _ = try readNames(people, in: context)
            if isTraced { try endTrace("fetch") }
        }
    }

    /// - Returns: The objects, which stay registered while they are held.
    private func readNames(
        _ request: FetchRequest<ManagedObject>, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let objects = try context.fetch(request)
        _ = objects.map { $0["name"] }
        return objects
    }

    private func insertPerson(isTraced: Bool = false) throws {
        try author.viewContext.insert("Person")["name"] = "Anna"
        if isTraced { beginTrace() }
        try author.viewContext.save()
        if isTraced { try endTrace("save") }
    }

    /// Brings what the author has saved to the reader, and into its context.
    private func pull(isTraced: Bool) async throws {
        // The author never learns that the zone has them, so these are all its saves.
        let zone = try author.coordinator.store.pending(byteLimit: .max).map(\.changeSet)
        let epoch = EpochID(high: 1, low: 2)
        let store = reader.coordinator.store
        let after = try store.syncState().cursor ?? LogCursor(startOf: epoch)
        let sets = Array(zone.dropFirst(Int(after.position)))
        let page = RemotePage(
            changeSets: sets, after: after, cursor: sets.reduce(after) { $0.advanced(over: $1) })
        if isTraced { beginTrace() }
        let changed = try store.apply(page)
        await withCheckedContinuation { done in
            reader.coordinator.didApply(changed) { done.resume() }
        }
        if isTraced { try endTrace("pull") }
    }

    private func beginTrace() { resetCounters() }

    private func endTrace(_ name: String) throws {
        let file = folder.appending(path: "\(name).profraw").path
        guard
            file.withCString({
                setFile($0)
                return writeCounters()
            }) == 0
        else {
            throw CocoaError(.fileWriteUnknown)
        }
        // What runs later goes to another file.
        strdup("/dev/null").map { setFile($0) }
    }
}

@_silgen_name("__llvm_profile_reset_counters") private func resetCounters()
@_silgen_name("__llvm_profile_set_filename") private func setFile(_ path: UnsafePointer<CChar>)
@_silgen_name("__llvm_profile_write_file") private func writeCounters() -> Int32
