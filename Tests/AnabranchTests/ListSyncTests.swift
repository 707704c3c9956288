import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import Anabranch

/// Tests of lists that two replicas change concurrently.
@Suite struct `Lists on two replicas` {
    private let zone = Zone()
    private let a: Jukebox
    private let b: Jukebox

    init() throws {
        a = try Jukebox()
        b = try Jukebox()
    }

    private func begin(_ owner: ListOwner, _ names: String) throws {
        try a.inContext { _ = try owner.insert(names, $0) }
        try exchange()
    }

    private func exchange() throws {
        for jukebox in [a, b, a, b] { try zone.exchange(jukebox.container.coordinator) }
    }

    private func change(
        _ jukebox: Jukebox, _ owner: ListOwner,
        _ body: (ManagedObjectList<Song>, ManagedObjectContext) throws -> Void
    ) throws {
        try jukebox.inContext { context throws in
            try body(owner.songs(context), context)
            try context.save()
        }
    }

    /// Returns the names on both replicas, which must be equal.
    private func merged(_ owner: ListOwner) throws -> String {
        try exchange()
        let names = try [a, b].map { try $0.inContext { try owner.songs($0).names } }
        #expect(names[0] == names[1])
        let hashes = try [a, b].map { try $0.container.coordinator.store.canonicalHash() }
        #expect(hashes[0] == hashes[1])
        return names[0]
    }

    @Test(arguments: ListOwner.allCases)
    func `runs that both insert at one place do not mix`(owner: ListOwner) throws {
        try begin(owner, "az")
        try change(a, owner) { list, context in
            for name in "123" { list.insert(try context.song(name), at: list.count - 1) }
        }
        // Each name is inserted by its own save, in reverse order.
        for name in "987" {
            try change(b, owner) { list, context in list.insert(try context.song(name), at: 1) }
        }
        #expect(["a123789z", "a789123z"].contains(try merged(owner)))
    }

    @Test(arguments: ListOwner.allCases)
    func `one that both move is there once`(owner: ListOwner) throws {
        try begin(owner, "abcd")
        try change(a, owner) { list, _ in list.move(from: 0, to: 3) }
        try change(b, owner) { list, _ in list.move(from: 0, to: 1) }
        let names = try merged(owner)
        #expect(["bcda", "bacd"].contains(names))
    }

    @Test(arguments: ListOwner.allCases)
    func `moves of different objects both stay`(owner: ListOwner) throws {
        try begin(owner, "abcdef")
        try change(a, owner) { list, _ in list.move(from: 0, to: 5) }
        try change(b, owner) { list, _ in list.move(from: 4, to: 1) }
        #expect(try merged(owner) == "ebcdfa")
    }

    @Test func `an object inserted into two lists is in the one that took it later`() throws {
        try begin(.album, "abc")
        try change(a, .album) { list, context in
            try context.insert(Album.self).songs.append(list[0])
        }
        try change(b, .album) { list, context in
            try context.insert(Album.self).songs.append(list[0])
        }
        try exchange()
        for jukebox in [a, b] {
            try jukebox.inContext { context throws in
                let albums = try context.fetch(FetchRequest<Album>())
                #expect(albums.map(\.songs.count).sorted() == [0, 1, 2])
                let song = try context.fetch(FetchRequest<Song>()).first { $0.name == "a" }
                #expect(song?.album?.songs.names == "a")
            }
        }
        // The discarded value is in the journal of the replica that noticed the conflict. A
        // restored element is appended to its list.
        let losing = try [a, b].first { try !$0.container.coordinator.conflicts().isEmpty }
        try #require(losing).inContext { context throws in
            let conflict = try #require(try context.coordinator.conflicts().first)
            let song = try #require(try context.restore(conflict) as? Song)
            #expect(song.album?.songs.names == "a")
            try context.save()
        }
        try exchange()
        let hashes = try [a, b].map { try $0.container.coordinator.store.canonicalHash() }
        #expect(hashes[0] == hashes[1])
    }

    @Test func `an open list shows what arrives, in its place`() throws {
        try begin(.album, "abc")
        let context = b.container.newBackgroundContext()
        try context.performAndWait { context throws in
            #expect(try ListOwner.album.songs(context).names == "abc")
        }
        try change(a, .album) { list, _ in list.move(from: 2, to: 0) }
        try zone.exchange(a.container.coordinator)
        let changes = try zone.exchange(b.container.coordinator)
        #expect(!changes.isEmpty)
        try context.performAndWait { context throws in
            context.merge(changes)
            #expect(try ListOwner.album.songs(context).names == "cab")
        }
    }
}
