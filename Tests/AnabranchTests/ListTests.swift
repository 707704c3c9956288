import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import Anabranch

@Suite struct `Lists` {
    @Test(arguments: ListOwner.allCases)
    func `keep the order of insertions, moves and removals`(
        owner: ListOwner
    ) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let list = try owner.insert("abcd", context)
            #expect(list.names == "abcd" && list.count == 4)
            list.insert(try context.song("x"), at: 0)
            list.move(from: 4, to: 1)
            list.remove(list.named("b"))
            list.insert(list.named("a"), at: 4)
            #expect(list.names == "xdca")
            list[1] = try context.song("y")
            #expect(list.names == "xyca" && list[3].name == "a")
            #expect(list.firstIndex(of: list.named("c")) == 2)
            try context.save()
            #expect(list.names == "xyca")
        }
        try jukebox.inContext { context throws in
            #expect(try owner.songs(context).names == "xyca")
            let song = try context.fetch(FetchRequest<Song>()).first { $0.name == "b" }
            #expect(song?.album == nil && song?.mixes.count == 0)
        }
    }

    @Test(arguments: ListOwner.allCases, TestLength.seeds(20))
    func `are what an array would be, saved or not`(owner: ListOwner, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let list = try owner.insert("abc", context)
            var expected = list.objects
            for step in 0..<40 {
                let place = Int.random(in: 0...expected.count, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0:
                    let song = try context.song(Character(UnicodeScalar(UInt8(65 + step % 26))))
                    expected.insert(song, at: place)
                    list.insert(song, at: place)
                case 1 where place < expected.count:
                    let target = Int.random(in: 0..<expected.count, using: &generator)
                    expected.insert(expected.remove(at: place), at: target)
                    list.move(from: place, to: target)
                case 2 where place < expected.count:
                    #expect(list.remove(at: place) == expected.remove(at: place))
                case 4:
                    let added =
                        expected.shuffled(using: &generator).prefix(place)
                        + [try context.song("z"), try context.song("z")] + expected.prefix(1)
                    for song in added {
                        expected.removeAll { $0 === song }
                        expected.append(song)
                    }
                    list.append(contentsOf: added)
                case 3:
                    expected.shuffle(using: &generator)
                    expected.removeLast(expected.count / 4)
                    list.replace(with: expected)
                default: try context.save()
                }
                #expect(list.objects == expected)
            }
            try context.save()
            #expect(list.objects == expected)
            let ids = expected.map(\.objectID)
            let read = try jukebox.inContext { try owner.songs($0).objectIDs }
            #expect(read == ids)
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `are unchanged once everything stands again where it stood`(owner: ListOwner) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let list = try owner.insert("abc", context)
            let (album, a, c) = (list.owner, list[0], list[2])
            var isChanged: Bool {
                #expect(album.changedRelationshipNames.isEmpty != album.hasPersistentChangedValues)
                return album.hasPersistentChangedValues
            }
            list.move(from: 0, to: 2)
            #expect(isChanged)
            list.move(from: 2, to: 0)
            #expect(!isChanged)
            list.remove(a)
            list.insert(a, at: 1)
            #expect(isChanged)
            list.move(from: 1, to: 0)
            #expect(!isChanged)
            list.remove(c)
            #expect(isChanged)
            list.append(c)
            #expect(!isChanged && list.names == "abc")
            list.append(try context.song("d"))
            list.move(from: 3, to: 0)
            list.move(from: 0, to: 3)
            #expect(isChanged)
            try context.save()
            list.replace(with: list.reversed())
            try context.save()
            #expect(!isChanged)
            list.move(from: 0, to: 3)
            list.move(from: 0, to: 1)
            #expect(isChanged)
            list.replace(with: "dcba".map { list.named(String($0)) })
            #expect(!isChanged)
            list.move(from: 0, to: 2)
            try context.save()
        }
        try jukebox.inContext { context throws in
            #expect(try owner.songs(context).names == "cbda")
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `are changed again once a return is undone`(owner: ListOwner) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let list = try owner.insert("abc", context)
            context.undoManager = UndoStack()
            list.move(from: 0, to: 2)
            context.processPendingChanges()
            list.move(from: 2, to: 0)
            context.processPendingChanges()
            context.undo()
            #expect(list.names == "bca" && list.owner.hasPersistentChangedValues)
            context.redo()
            #expect(list.names == "abc" && !list.owner.hasPersistentChangedValues)
            context.undo()
            try context.save()
        }
        try jukebox.inContext { context throws in
            #expect(try owner.songs(context).names == "bca")
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `send as few moves as there can be when an array is set`(owner: ListOwner) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let list = try owner.insert("abcdefgh", context)
            let sorted = "hadbcefg".map { list.named(String($0)) }
            list.replace(with: sorted)
            try context.save()
            #expect(list.names == "hadbcefg")
        }
        let last = try #require(
            try jukebox.container.coordinator.store.pending(byteLimit: .max).last)
        let moved = try last.changeSet.decodedPayload().blocks.map { block in
            switch block {
            case .update(let rows): rows.records.count
            case .move(let links): links.links.count
            default: 100
            }
        }
        // Only h and d have moved; the order of the other six is unchanged.
        #expect(moved == [2])
    }

    @Test(arguments: ListOwner.allCases)
    func `are read by one statement, and links with their state by another`(
        owner: ListOwner
    ) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in _ = try owner.insert("abc", context) }
        let store = jukebox.container.coordinator.store
        try jukebox.container.newBackgroundContext().performAndWait { context throws in
            let list = try owner.songs(context)
            let before = store.readStatistics
            #expect(list.count == 3)
            #expect((store.readStatistics - before).selects == (owner == .mix ? 2 : 1))
        }
    }

    @Test func `keep both sides of a relationship in step`() throws {
        let jukebox = try Jukebox()
        let turned = try jukebox.inContext { context throws in
            let mixes = [try context.insert(Mix.self), try context.insert(Mix.self)]
            let song = try context.song("a")
            for mix in mixes { mix.songs.append(song) }
            #expect(song.mixes.objects == mixes)
            song.mixes.move(from: 1, to: 0)
            try context.save()
            #expect(song.mixes.objects == mixes.reversed())
            let album = try context.insert(Album.self)
            song.album = album
            #expect(album.songs.objects == [song])
            album.songs.removeAll()
            #expect(song.album == nil)
            try context.save()
            return song.mixes.objectIDs
        }
        try jukebox.inContext { context throws in
            let song = try #require(try context.fetch(FetchRequest<Song>()).first)
            #expect(song.mixes.objectIDs == turned)
        }
    }

    @Test func `a to-one that is set puts the object at the list's end`() throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            _ = try ListOwner.album.insert("abc", context)
        }
        try jukebox.inContext { context throws in
            let album = try context.fetch(FetchRequest<Album>())[0]
            for name in "xyz" { try context.song(name).album = album }
            try context.save()
            #expect(album.songs.names == "abcxyz")
        }
        try jukebox.inContext { context throws in
            #expect(try ListOwner.album.songs(context).names == "abcxyz")
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `an unsaved move stays when other changes arrive`(owner: ListOwner) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let list = try owner.insert("abcd", context)
            list.move(from: 3, to: 1)
            list.insert(try context.song("n"), at: 3)
            #expect(list.names == "adbnc")
            let changes: ObjectIDChanges? = try jukebox.inContext { other throws in
                let log = NotificationLog(ManagedObjectContext.didSave, of: other)
                let there = try owner.songs(other)
                there.remove(there.named("c"))
                there.insert(try other.song("x"), at: 0)
                there.append(try other.song("y"))
                try other.save()
                return log.all.last
            }
            try context.mergeChanges(from: try #require(changes))
            #expect(list.names == "xadbny")
            try context.save()
            #expect(list.names == "xadbny")
        }
        try jukebox.inContext { context throws in
            #expect(try owner.songs(context).names == "xadbny")
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `a rollback brings the saved order back`(owner: ListOwner) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let list = try owner.insert("abc", context)
            list.move(from: 0, to: 2)
            list.append(try context.song("x"))
            #expect(list.names == "bcax" && context.hasChanges)
            context.rollback()
            #expect(list.names == "abc" && !context.hasChanges)
            list.move(from: 0, to: 2)
            try context.refresh(list.owner, mergeChanges: true)
            #expect(list.names == "bca")
            try context.refresh(list.owner, mergeChanges: false)
            #expect(list.names == "abc")
        }
    }

    @Test func `delete rules follow lists`() throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let album = try ListOwner.album.insert("abc", context)
            let mix = try ListOwner.mix.insert("", context)
            mix.append(contentsOf: album.objects.reversed())
            try context.save()
            context.delete(album.named("b"))
            context.processPendingChanges()
            #expect(album.names == "ac" && mix.names == "ca")
            try context.save()
            context.delete(album.owner)
            try context.save()
            #expect(mix.isEmpty)
        }
        try jukebox.inContext { context throws in
            #expect(try context.fetch(FetchRequest<Song>()).isEmpty)
        }
    }

    @Test func `are read by name, and only where there is an order`() throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let fan = try context.insert("Fan")
            let likes = try fan.list(forKey: "likes")
            let songs = try "abc".map { try context.song($0) }
            likes.append(contentsOf: songs)
            likes.move(from: 2, to: 0)
            #expect(likes.objects == [songs[2], songs[0], songs[1]])
            // The relationship as a set has the same order.
            #expect(try fan.objects(forKey: "likes").objects == likes.objects)
            #expect(
                try fan.objectIDs(forRelationshipNamed: "likes") == likes.objects.map(\.objectID))
            try fan.objects(forKey: "likes").replace(with: [songs[1], songs[2]])
            #expect(likes.objects == [songs[2], songs[1]])
            #expect(throws: PropertyError.self) { try songs[0].list(forKey: "fans") }
            #expect(throws: PropertyError.self) { try songs[0].list(forKey: "album") }
            #expect(fan.changedRelationshipNames == ["likes"])
            try context.save()
            #expect(fan.changedRelationshipNames.isEmpty)
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `keep the positions of members that another context has deleted`(owner: ListOwner) throws {
        let jukebox = try Jukebox()
        _ = try jukebox.inContext { _ = try owner.insert("abc", $0) }
        try jukebox.inContext { context throws in
            let list = try owner.songs(context)
            #expect(list.count == 3)
            try jukebox.inContext { other throws in
                let songs = try other.fetch(FetchRequest<Song>())
                songs.filter { $0.name == "b" }.forEach(other.delete)
                try other.save()
            }
            // The context has not merged the deletion, so its list is unchanged.
            #expect(list.count == 3 && list[2].name == "c")
            let gone = list[1]
            #expect(gone.name == "" && gone.isDeleted)
            #expect(list.names == "ac")
            list.move(from: 2, to: 0)
            #expect(list.names == "ca")
            #expect(list.remove(at: 1).name == "a")
            #expect(list.names == "c")
        }
    }

    @Test func `refuse changes once their owner is deleted`() throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let list = try ListOwner.album.insert("abc", context)
            let (album, song) = (list.owner, try context.song("x"))
            try context.save()
            try jukebox.inContext { other throws in
                let albums = try other.fetch(FetchRequest<Album>())
                albums.forEach(other.delete)
                try other.save()
            }
            try context.mergeChanges(from: ObjectIDChanges(deleted: [album.objectID]))
            #expect(album.isDeleted && list.isEmpty)
            list.insert(song, at: 2)
            list.move(from: 2, to: 1)
            song.name = "y"
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.all.map(\.code) == [.inaccessible, .inaccessible])
            try context.save()
        }
    }

    @Test func `a member that can't be read is a fault, and the next save throws`() throws {
        let directory = try TemporaryDirectory("lists")
        let model = try ManagedObjectModel {
            EntityDeclaration("Shelf") {
                RelationshipDeclaration("media", toMany: "Medium", ordered: true, inverse: "shelf")
            }
            EntityDeclaration("Medium") {
                RelationshipDeclaration("shelf", to: "Shelf", inverse: "media")
            }
            EntityDeclaration("Book", parent: "Medium") { AttributeDeclaration("title", .string) }
        }
        let container = PersistentContainer(
            model: model, url: URL(filePath: directory.file("shelf.anabranch")))
        try container.load()
        try container.newBackgroundContext().performAndWait { context throws in
            let list = try context.insert("Shelf").list(forKey: "media")
            list.append(try context.insert("Book"))
            try context.save()
        }
        try container.newBackgroundContext().performAndWait { context throws in
            let shelf = try context.fetch(FetchRequest<ManagedObject>(entityName: "Shelf"))[0]
            let list = try shelf.list(forKey: "media")
            let ids = list.objectIDs.map(\.localID)
            try context.refreshAllObjects()
            #expect(list.count == 1)
            container.coordinator.close()
            let member = list[0]
            #expect(member.isFault && [member.objectID.localID] == ids)
            #expect(list[0] === member)
            #expect(throws: StoreError.self) { try context.save() }
        }
    }
}
