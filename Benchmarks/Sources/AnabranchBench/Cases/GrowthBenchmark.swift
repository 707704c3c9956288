import Anabranch
import Foundation

/// The cost for each object of work on many objects at once.
///
/// It should be the same with 100,000 objects as with 1,000: the whole work is then linear.
struct GrowthBenchmark: Benchmark {
    static let name = "growth"
    static let summary = "work on 1,000 and on 100,000 objects at once, for each of them"

    private static let sizes = [1000, 100_000]
    /// The factor that memory which does not fit into a processor's caches adds.
    private static let tolerance = 3.0
    private static let cause = "The time grows faster than the number of objects."

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        try GrowthTask.allCases.flatMap { task in
            let times = try Self.sizes.map { size in
                // A small size is measured more often, because it takes little time.
                let durations = try (0..<(size < 10_000 ? 9 : 1)).map { round in
                    let path = workbench.path("growth-\(task)-\(size)-\(round)")
                    return try Playlists(path, size: size).time(task)
                }
                return durations.median.seconds * 1e6 / Double(size)
            }
            return [
                Figure("\(task.rawValue), of 1,000", .amount(times[0], unit: "µs")),
                Figure(
                    "\(task.rawValue), of 100,000", .amount(times[1], unit: "µs"),
                    goal: times[0] * Self.tolerance, cause: Self.cause),
            ]
        }
    }
}

/// Work on all songs of a playlist.
private enum GrowthTask: String, CaseIterable {
    case append = "append to a list one by one"
    case load = "read a list after other saves"
    case reverse = "put a list into another order and save"
    case removeAll = "remove everything from a list and save"
    case childSave = "save a child's new list into its parent"
    case staleSave = "save objects that another save has changed"
    case keySave = "save objects with keys that others have"
}

/// A store with a playlist of songs.
private final class Playlists {
    private let container: PersistentContainer
    private let context: BackgroundContext
    private let size: Int
    // These properties are used only in the bodies of the context.
    nonisolated(unsafe) private var songs: [ManagedObject] = []
    nonisolated(unsafe) private var playlist: ManagedObject?

    init(_ path: String, size: Int) throws {
        self.size = size
        let model = try ManagedObjectModel {
            EntityDeclaration("Playlist") {
                RelationshipDeclaration("songs", toMany: "Song", ordered: true, inverse: "playlist")
            }
            EntityDeclaration("Song") {
                AttributeDeclaration("code", .integer64)
                AttributeDeclaration("plays", .integer64)
                RelationshipDeclaration("playlist", to: "Playlist", inverse: "songs")
                UniquenessConstraint("code")
            }
        }
        container = PersistentContainer(model: model, url: URL(fileURLWithPath: path))
        try container.load()
        context = container.newBackgroundContext()
        try context.performAndWait { context in
            playlist = try context.insert("Playlist")
            songs = try (0..<size).map { number in
                let song = try context.insert("Song")
                try song.setValue(.integer(Int64(number)), forKey: "code")
                return song
            }
            try context.save()
        }
    }

    func time(_ task: GrowthTask) throws -> Duration {
        try prepare(task)
        return try context.performAndWait { context in
            let clock = ContinuousClock()
            let start = clock.now
            try run(task, in: context)
            return clock.now - start
        }
    }

    /// The time of this is not measured.
    private func prepare(_ task: GrowthTask) throws {
        try context.performAndWait { context in
            let list = try list(in: context)
            switch task {
            case .append: break
            case .load:
                list.append(contentsOf: songs)
                try context.save()
                try context.refresh(try playlist(in: context), mergeChanges: false)
            case .reverse, .removeAll:
                list.append(contentsOf: songs)
                try context.save()
            case .childSave: break
            case .staleSave:
                for song in songs { try song.setValue(.integer(1), forKey: "plays") }
                try changeElsewhere()
                context.mergePolicy = .overwrite
            case .keySave:
                context.mergePolicy = .mergeByPropertyObjectTrump
                for number in 0..<size {
                    try context.insert("Song").setValue(.integer(Int64(number)), forKey: "code")
                }
            }
        }
    }

    private func run(_ task: GrowthTask, in context: ManagedObjectContext) throws {
        let list = try list(in: context)
        switch task {
        case .append: for song in songs { list.append(song) }
        case .load: _ = list.objects.count
        case .reverse:
            list.replace(with: songs.reversed())
            try context.save()
        case .removeAll:
            list.removeAll()
            try context.save()
        case .childSave: try saveChild(of: context)
        case .staleSave, .keySave: try context.save()
        }
    }

    /// Another context saves all songs.
    private func changeElsewhere() throws {
        try container.newBackgroundContext().performAndWait { other in
            for song in try other.fetch(FetchRequest<ManagedObject>(entityName: "Song")) {
                try song.setValue(.integer(2), forKey: "plays")
            }
            try other.save()
        }
    }

    private func saveChild(of context: ManagedObjectContext) throws {
        let child = context.newChildContext()
        let id = try playlist(in: context).objectID
        let copies = try songs.map { try child.existingObject(with: $0.objectID) }
        try child.existingObject(with: id).list(forKey: "songs").append(contentsOf: copies)
        try child.save()
    }

    private func playlist(in context: ManagedObjectContext) throws -> ManagedObject {
        guard let playlist else { throw BadUsage("The playlist was not made.") }
        return playlist
    }

    private func list(
        in context: ManagedObjectContext
    ) throws -> ManagedObjectList<ManagedObject> {
        try playlist(in: context).list(forKey: "songs")
    }
}
