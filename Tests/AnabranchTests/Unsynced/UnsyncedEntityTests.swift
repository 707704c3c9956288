import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite struct `Objects that are kept in this store only` {
    @Test func `are saved without a change set`() throws {
        let player = try PlayerStore()
        try player.inContext { context throws in
            context.transactionAuthor = "player"
            let album = try context.insert(Album.self)
            for name in "abc" { album.songs.append(try context.song(name)) }
            try context.save()
            #expect(!context.hasChanges)
            album.songs.remove(album.songs[1])
            try context.save()
            context.delete(album)
            try context.save()
        }
        #expect(try player.coordinator.changeSets().isEmpty)
        #expect(try player.coordinator.store.pending(byteLimit: .max).isEmpty)
        #expect(try player.unsynced() == ["song b of none in "])
        let empty = try PlayerStore()
        #expect(try player.coordinator.canonicalHash() == empty.coordinator.canonicalHash())
        #expect(try player.coordinator.checkFile().isValid)
    }

    @Test func `are in the history, without a dot`() throws {
        let player = try PlayerStore()
        try player.inContext { context throws in
            context.transactionAuthor = "player"
            let song = try context.song("a")
            try context.save()
            let first = try player.coordinator.currentHistoryPosition()
            song.name = "b"
            try context.note("n")
            try context.save()
            try context.note("m")
            try context.save()
            context.delete(song)
            try context.save()
            let history = try context.coordinator.history()
            #expect(history.map(\.dot?.sequence) == [nil, 1, 2, nil])
            #expect(history.map(\.author) == Array(repeating: "player", count: 4))
            #expect(history.map(\.position) == history.map(\.position).sorted { $0 < $1 })
            #expect(history[1].changes.map(\.kind) == [.insert, .update])
            #expect(history[1].changes[1].updatedProperties == ["name"])
            #expect(history[3].changes.map(\.objectID) == [song.objectID])
            #expect(abs(history[3].date.timeIntervalSinceNow) < 60)
            let next = try context.coordinator.history(after: first, limit: 2)
            #expect(next.map(\.dot?.sequence) == [1, 2])
            #expect(try player.coordinator.currentHistoryPosition() == history[3].position)
        }
        #expect(try player.loggedEntities() == ["Note"])
    }

    @Test func `reach other contexts and other openings of the file`() throws {
        let player = try PlayerStore()
        let other = try PlayerStore.open(player.directory)
        let start = try other.coordinator.currentHistoryPosition()
        try player.inContext { context throws in
            let song = try context.song("a")
            try context.save()
            try player.inContext { second throws in
                second.automaticallyMergesChangesFromParent = true
                let seen = try #require(try second.objects("Song").first as? Song)
                try other.newBackgroundContext().performAndWait { third throws in
                    let far = try #require(try third.objects("Song").first as? Song)
                    #expect(seen.name == "a" && far.name == "a")
                    song.name = "b"
                    try context.save()
                    for transaction in try other.coordinator.history(after: start) {
                        try third.mergeChanges(from: transaction.objectIDChanges)
                    }
                    #expect(far.name == "b")
                }
                try second.mergeChanges(
                    from: try #require(try second.coordinator.history().last?.objectIDChanges))
                #expect(seen.name == "b")
            }
        }
    }

    @Test func `conflict and are unique like others`() throws {
        let player = try PlayerStore()
        try player.inContext { context throws in
            let song = try context.song("a")
            try context.insert("Window")["name"] = .string("main")
            try context.save()
            try player.inContext { other throws in
                let same = try #require(try other.objects("Song").first as? Song)
                same.name = "x"
                song.name = "b"
                try context.save()
                #expect(throws: (any Error).self) { try other.save() }
                other.mergePolicy = .mergeByPropertyObjectTrump
                try other.save()
            }
            #expect(
                try player.unsynced() == ["song x of none in ", "window main"])
            try context.insert("Window")["name"] = .string("main")
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test func `go away for good when they are deleted`() throws {
        let player = try PlayerStore()
        try player.inContext { context throws in
            let window = try context.insert("Window")
            window["name"] = .string("main")
            try context.save()
            context.delete(window)
            try context.save()
        }
        #expect(try player.unsynced().isEmpty)
        let empty = try PlayerStore()
        #expect(try player.coordinator.canonicalHash() == empty.coordinator.canonicalHash())
        #expect(try player.coordinator.checkFile().isValid)
    }

    @Test(arguments: TestLength.seeds(24))
    func `neither reach nor follow other replicas`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let zone = Zone()
        let players = [try PlayerStore(), try PlayerStore()]
        for _ in 0..<40 {
            let player = players[Int.random(in: 0..<2, using: &generator)]
            try player.inContext { context throws in
                var change = RandomChange(context: context, generator: generator)
                try change.run()
                generator = change.generator
                context.processPendingChanges()
                let shown = try context.unsynced()
                try context.save()
                let saved = try player.unsynced()
                #expect(saved == shown)
            }
            guard Int.random(in: 0..<4, using: &generator) == 0 else { continue }
            let before = try player.unsynced()
            try zone.exchange(player.coordinator)
            #expect(try player.unsynced() == before)
        }
        let before = try players.map { try $0.unsynced() }
        for _ in 0..<2 { for player in players { try zone.exchange(player.coordinator) } }
        #expect(try players.map { try $0.unsynced() } == before)
        let hashes = try players.map { try $0.coordinator.canonicalHash() }
        #expect(hashes[0] == hashes[1])
        for player in players {
            #expect(try player.loggedEntities().isSubset(of: ["Note"]))
            let check = try player.coordinator.checkFile()
            #expect(check.isValid && check.differences != nil)
        }
    }
}

/// Some random changes of synced and unsynced objects in one context.
private struct RandomChange {
    let context: ManagedObjectContext
    var generator: SeededGenerator

    private mutating func number(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    private mutating func one<Object: ManagedObject>(
        _ type: Object.Type, _ make: () throws -> Object
    ) throws -> Object {
        let all = try context.fetch(FetchRequest<Object>()).sorted {
            $0.objectID.uriRepresentation.path < $1.objectID.uriRepresentation.path
        }
        return all.isEmpty || number(6) == 0 ? try make() : all[number(all.count)]
    }

    mutating func run() throws {
        for _ in 0...number(3) {
            let name = Character(UnicodeScalar(97 + UInt8(number(26))))
            switch number(8) {
            case 0, 1: try changeNote("\(name)")
            case 2, 3: try changeList(albumSongs(), name)
            case 4, 5: try changeList(mixSongs(), name)
            case 6:
                context.delete(try context.song(name))
                if let song = try context.fetch(FetchRequest<Song>()).first {
                    song.name = "\(name)"
                }
            default:
                if let song = try context.fetch(FetchRequest<Song>()).last { context.delete(song) }
            }
        }
    }

    private mutating func changeNote(_ title: String) throws {
        let notes = try context.objects("Note")
        guard let note = notes.first, number(3) > 0 else {
            try context.note(title)
            return
        }
        if number(4) == 0 { return context.delete(note) }
        note["title"] = .string(title)
        note["visits"] = .integer(Int64(number(100)))
    }

    private mutating func albumSongs() throws -> ManagedObjectList<Song> {
        let context = context
        return try one(Album.self) { try context.insert(Album.self) }.songs
    }

    private mutating func mixSongs() throws -> ManagedObjectList<Song> {
        let context = context
        return try one(Mix.self) { try context.insert(Mix.self) }.songs
    }

    private mutating func changeList(
        _ songs: ManagedObjectList<Song>, _ name: Character
    ) throws {
        switch number(3) {
        case 0 where !songs.isEmpty: songs.remove(songs[number(songs.count)])
        case 1 where songs.count > 1:
            let song = songs[number(songs.count)]
            songs.remove(song)
            songs.insert(song, at: number(songs.count + 1))
        default: songs.insert(try context.song(name), at: number(songs.count + 1))
        }
    }
}
