import AnabranchSQLite
import TestSupport
import Testing

@testable import Anabranch

/// Errors of calls that can't throw, in contexts that never save.
@Suite struct AccessErrorTests {
    /// A store of lists whose songs can't be read while the body runs.
    private static func withUnreadableSongs(
        _ body: (ManagedObjectContext, Album, _ repair: () throws -> Void) throws -> Void
    ) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in _ = try ListOwner.album.insert("abc", context) }
        let connection = try Connection(path: jukebox.directory.file("jukebox.anabranch"))
        defer { connection.close() }
        try jukebox.inContext { context throws in
            let album = try #require(try context.fetch(FetchRequest<Album>()).first)
            try connection.execute("ALTER TABLE \"Song\" RENAME TO elsewhere")
            try body(context, album) {
                try connection.execute("ALTER TABLE elsewhere RENAME TO \"Song\"")
            }
        }
    }

    @Test func `a list that can't be read gives deleted objects and takes no change`() throws {
        try Self.withUnreadableSongs { context, album, repair in
            let songs = album.songs
            let absent = songs[1]
            #expect(absent.isDeleted && absent.managedObjectContext == nil)
            #expect(absent.name.isEmpty && absent.album == nil)
            #expect(songs.remove(at: 2).isDeleted)
            songs.move(from: 0, to: 2)
            let song = try context.song("x")
            songs.insert(song, at: 1)
            songs.append(song)
            songs[0] = song
            #expect(songs.isEmpty && songs.objects.isEmpty && songs.firstIndex(of: song) == nil)
            #expect(context.pendingErrors.count >= 7)
            #expect(!album.hasChanges)
            context.delete(song)
            try repair()
            context.clearPendingErrors()
            #expect(songs.names == "abc")
            #expect(context.pendingErrors.isEmpty)
            try context.save()
        }
    }

    @Test func `pending errors are those that the next save throws`() throws {
        try Self.withUnreadableSongs { context, album, repair in
            #expect(context.pendingErrors.isEmpty)
            #expect(album.songs.isEmpty)
            #expect(context.pendingErrors.count == 1)
            try repair()
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.pendingErrors.isEmpty)
            try context.save()
        }
    }

    @Test func `a context that only reads tells its errors, and so does the coordinator`()
        async throws
    {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in _ = try ListOwner.album.insert("abc", context) }
        let connection = try Connection(path: jukebox.directory.file("jukebox.anabranch"))
        defer { connection.close() }
        let context = jukebox.container.newBackgroundContext()
        let other = jukebox.container.newBackgroundContext()
        let own = try await context.perform { $0.accessErrors() }
        let others = try await other.perform { $0.accessErrors() }
        let all = jukebox.container.coordinator.accessErrors()
        try await context.perform { context in
            context.userInfo["album"] = try context.fetch(FetchRequest<Album>()).first
        }
        try connection.execute("ALTER TABLE \"Song\" RENAME TO elsewhere")
        try await context.perform { context in
            let album = try #require(context.userInfo["album"] as? Album)
            let isEmpty = album.songs.isEmpty
            #expect(isEmpty)
        }
        for errors in [own, all] {
            var iterator = errors.makeAsyncIterator()
            let error = await iterator.next()
            #expect(error.map { "\($0)" }?.contains("Song") == true)
        }
        // The first error of the other context is one of its own.
        try await other.perform { context in
            context.report(PropertyError(.inaccessible, "", property: "own"))
        }
        var iterator = others.makeAsyncIterator()
        #expect((await iterator.next() as? PropertyError)?.property == "own")
    }
}
