import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// The later move of a member shows, saved or unsaved. In a one-to-many the position is part of the
/// reference, so the journal has the one that lost. In a many-to-many only the links are values. No
/// member may get lost in silence.
@Suite struct `Unsaved changes of lists over newer ones` {
    private let here: Jukebox
    private let there: Jukebox
    private let zone = Zone()

    init() throws {
        here = try Jukebox()
        there = try Jukebox()
        try here.inContext { context throws in
            for owner in ListOwner.allCases { _ = try owner.insert("abcd", context) }
            try context.insert(Album.self).setValue("other", forKey: "title")
            try context.save()
        }
        try exchange()
    }

    private func exchange() throws {
        for box in [here, there, here] { try zone.exchange(box.container.coordinator) }
    }

    /// Makes a change here, and another one there that the author of the first has not seen. Both
    /// are saved concurrently, or the change here is saved after the other one was merged under it.
    private func make(
        _ change: @Sendable (ManagedObjectList<Song>) throws -> Void,
        over other: @Sendable (ManagedObjectList<Song>, ManagedObjectContext) throws -> Void,
        in owner: ListOwner, unsaved: Bool
    ) async throws {
        let handle = here.container.newBackgroundContext()
        try handle.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            context.transactionAuthor = "Ada"
            try change(owner.songs(context))
            if !unsaved { try context.save() }
        }
        try there.inContext { context throws in
            // In a later millisecond.
            Thread.sleep(forTimeInterval: 0.002)
            context.transactionAuthor = "Bob"
            try other(owner.songs(context), context)
            try context.save()
        }
        try zone.exchange(there.container.coordinator)
        let changed = try zone.exchange(here.container.coordinator)
        await withCheckedContinuation { done in
            here.container.coordinator.didApply(changed) { done.resume() }
        }
        try handle.performAndWait { try $0.save() }
        try exchange()
        #expect(
            try here.container.coordinator.canonicalHash()
                == there.container.coordinator.canonicalHash())
    }

    private func names(_ owner: ListOwner) throws -> [String] {
        try [here, there].map { box in try box.inContext { try owner.songs($0).names } }
    }

    private var conflicts: [ConflictEntry] {
        get throws { try here.container.coordinator.conflicts() }
    }

    @Test(arguments: ListOwner.allCases, [true, false])
    func `move a member that another replica has moved`(
        owner: ListOwner, unsaved: Bool
    ) async throws {
        try await make(
            { $0.move(from: 3, to: 0) }, over: { list, _ in list.move(from: 3, to: 1) }, in: owner,
            unsaved: unsaved)
        // The later move shows: the one here is saved after the one there, or before it.
        let shown = unsaved ? "dabc" : "adbc"
        #expect(try names(owner) == [shown, shown])
        let lost = owner == .album ? [unsaved ? "Bob" : "Ada"] : []
        #expect(try conflicts.map(\.lost.author) == lost)
    }

    @Test(arguments: [
        (StandardMergePolicy.mergeByPropertyObjectTrump, "dabc"),
        (.mergeByPropertyStoreTrump, "dabc"), (.overwrite, "dabc"), (.rollback, "adbc"),
    ])
    func `move a member that was moved in the store, under a policy`(
        policy: StandardMergePolicy, shown: String
    ) throws {
        let handle = here.container.newBackgroundContext()
        try handle.performAndWait { context throws in
            context.transactionAuthor = "Ada"
            context.mergePolicy = policy
            try ListOwner.album.songs(context).move(from: 3, to: 0)
            try here.inContext { other throws in
                other.transactionAuthor = "Bob"
                try ListOwner.album.songs(other).move(from: 3, to: 1)
                try other.save()
            }
            try context.save()
            #expect(try ListOwner.album.songs(context).names == shown)
        }
        #expect(try here.inContext { try ListOwner.album.songs($0).names } == shown)
        let authors = try conflicts.map(\.lost.author)
        #expect(authors == (policy == .rollback ? [] : ["Bob"]))
    }

    @Test(arguments: ListOwner.allCases, [true, false])
    func `remove a member that another replica has moved`(
        owner: ListOwner, unsaved: Bool
    ) async throws {
        try await make(
            { $0.remove($0.named("d")) }, over: { list, _ in list.move(from: 3, to: 1) }, in: owner,
            unsaved: unsaved)
        let shown = try names(owner)
        #expect(shown[0] == shown[1])
        guard unsaved else { return #expect(shown[0] == "adbc") }
        #expect(shown[0] == "abc")
        let lost = try #require(try conflicts.first)
        #expect(try conflicts.count == 1)
        #expect(lost.lost.author == "Bob" && lost.winner?.author == "Ada")
        #expect(lost.property.name == (owner == .album ? "album" : "songs"))
    }

    @Test(arguments: ListOwner.allCases, [true, false])
    func `move a member that another replica has removed`(
        owner: ListOwner, unsaved: Bool
    ) async throws {
        try await make(
            { $0.move(from: 3, to: 1) }, over: { list, _ in list.remove(list.named("d")) },
            in: owner, unsaved: unsaved)
        let shown = try names(owner)
        #expect(shown[0] == shown[1])
        switch (owner, unsaved) {
        case (_, true):
            // The unsaved move ends with the member, as the context shows before the save.
            #expect(try shown[0] == "abc" && conflicts.isEmpty)
        case (.mix, false): #expect(try shown[0] == "adbc" && conflicts.isEmpty)
        case (.album, false):
            // The reference has the position, so the later write, the removal, wins.
            #expect(shown[0] == "abc")
            #expect(try conflicts.map(\.lost.author) == ["Ada"])
        }
    }

    @Test(arguments: [true, false])
    func `move a member that another replica has put into another list`(
        unsaved: Bool
    ) async throws {
        try await make(
            { $0.move(from: 3, to: 1) },
            over: { list, context in
                let other = try context.otherSongs()
                other.append(list.named("d"))
                other.append(try context.song("e"))
            }, in: .album, unsaved: unsaved)
        #expect(try names(.album) == ["abc", "abc"])
        #expect(try here.inContext { try $0.otherSongs().names } == "de")
        #expect(try conflicts.map(\.lost.author) == (unsaved ? [] : ["Ada"]))
    }
}

extension ManagedObjectContext {
    /// The songs of the album that begins empty.
    fileprivate func otherSongs() throws -> ManagedObjectList<Song> {
        let albums = try fetch(FetchRequest<Album>())
        return try #require(albums.first { $0["title"] == .string("other") }).songs
    }
}
