import Anabranch
import AnabranchSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

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

    @Test func `a context that only reads learns of an error in two ways`() async throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in _ = try ListOwner.album.insert("abc", context) }
        let connection = try Connection(path: jukebox.directory.file("jukebox.anabranch"))
        defer { connection.close() }
        let posted = Texts()
        let context = jukebox.container.newBackgroundContext()
        let stream = try await context.perform { $0.accessErrors() }
        let token = NotificationCenter.default.addObserver(
            forName: ManagedObjectContext.accessDidFail, object: nil, queue: nil
        ) { notification in
            let own = notification.object as? ManagedObjectContext
            guard own?.name == "reader" else { return }
            for error in notification.accessErrors ?? [] { posted.append("\(error)") }
            // What the observer itself meets is reported later, and does not call it from within
            // itself.
            if posted.all.count < 3 { _ = try? own?.firstAlbumIsEmpty() }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try await context.perform { context in
            context.name = "reader"
            context.userInfo["album"] = try context.fetch(FetchRequest<Album>()).first
        }
        try connection.execute("ALTER TABLE \"Song\" RENAME TO elsewhere")
        try await context.perform { context in
            let isEmpty = try context.firstAlbumIsEmpty()
            #expect(isEmpty)
            #expect(posted.all.isEmpty, "the observer is called in an access")
        }
        var iterator = stream.makeAsyncIterator()
        let texts = ["\(try #require(await iterator.next()))"]
        try await context.perform { _ in }
        #expect(texts[0].contains("Song"))
        #expect(posted.all.first == texts[0])
        while posted.all.count < 3 { try await context.perform { _ in } }
    }
}

extension ManagedObjectContext {
    fileprivate func firstAlbumIsEmpty() throws -> Bool {
        try #require(userInfo["album"] as? Album).songs.isEmpty
    }
}

/// The texts of errors, in the order in which they were reported.
private final class Texts: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func append(_ text: String) { texts.withLock { $0.append(text) } }
}
