import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import Testing

/// Tests of attribute groups with members that an app sets one by one.
@Suite struct `Objects with groups` {
    private let zone = Zone()
    private let here: Calendar
    private let there: Calendar

    init() throws {
        here = try Calendar()
        there = try Calendar()
        try here.inContext { context throws in
            let meeting = try context.insert("Meeting")
            meeting["title"] = "M"
            meeting["start"] = 9
            meeting["end"] = 10
            try context.save()
        }
        try exchange()
    }

    private func exchange(_ others: Calendar...) throws {
        for calendar in [here, there] + others + [here, there] + others {
            try zone.exchange(calendar.coordinator)
        }
        let hashes = try [here, there].map { try $0.coordinator.canonicalHash() }
        #expect(hashes[0] == hashes[1])
    }

    /// Merges a save of another context into this one.
    private func merge(
        _ values: [String: PropertyValue], into context: ManagedObjectContext
    ) throws {
        let changes: ObjectIDChanges? = try here.inContext { other throws in
            let log = NotificationLog(ManagedObjectContext.didSave, of: other)
            let meeting = try other.meeting()
            for (key, value) in values { try meeting.setValue(value, forKey: key) }
            try other.save()
            return log.all.last
        }
        try context.mergeChanges(from: try #require(changes))
    }

    @Test func `an unsaved edit of one member keeps the values read of the other members`() throws {
        try here.inContext { context throws in
            let meeting = try context.meeting()
            meeting["end"] = 12
            try merge(["start": 11, "end": 13, "title": "N"], into: context)
            #expect(meeting.time == [9, 12] && meeting["title"] == "N")
            #expect(try meeting.changedValues() == ["start": 9, "end": 12])
            #expect(
                try meeting.committedValues(forKeys: ["start", "end"]) == ["start": 11, "end": 13])
            try context.save()
            #expect(meeting.time == [9, 12] && !context.hasChanges)
        }
        try exchange()
        #expect(try there.time() == [9, 12])
    }

    @Test func `a kept member is saved, also where the edited one came in alike`() throws {
        try here.inContext { context throws in
            let meeting = try context.meeting()
            meeting["start"] = 5
            try merge(["start": 5, "end": 30], into: context)
            #expect(meeting.time == [5, 10])
            try context.save()
        }
        #expect(try here.time() == [5, 10])
    }

    @Test
    func `without an unsaved edit the members are refreshed, and another member's edit stays`()
        throws
    {
        try here.inContext { context throws in
            let meeting = try context.meeting()
            meeting["title"] = "mine"
            try merge(["start": 1, "end": 2], into: context)
            #expect(meeting.time == [1, 2] && meeting["title"] == "mine")
            #expect(try meeting.changedValues() == ["title": "mine"])
            meeting["start"] = 0
            try context.refresh(meeting, mergeChanges: false)
            #expect(meeting.time == [1, 2] && meeting["title"] == "M")
            meeting["start"] = 0
            context.rollback()
            #expect(meeting.time == [1, 2] && !context.hasChanges)
        }
    }

    @Test func `a refresh after a refused save writes the group as the context has it`() throws {
        try here.inContext { context throws in
            let meeting = try context.meeting()
            meeting["start"] = 8
            try here.inContext { other throws in
                try other.meeting().setValue(20, forKey: "end")
                try other.save()
            }
            #expect(throws: SaveConflictError.self) { try context.save() }
            try context.refresh(meeting, mergeChanges: true)
            #expect(meeting.time == [8, 10])
            try context.save()
        }
        #expect(try here.time() == [8, 10])
    }

    @Test func `history names all members, which were written together`() throws {
        let position = try here.coordinator.currentHistoryPosition()
        try here.edit(["end": 11])
        try exchange()
        for calendar in [here, there] {
            let last = try #require(try calendar.coordinator.history().last)
            #expect(last.changes.map(\.updatedProperties) == [["end", "start"]])
        }
        #expect(try here.coordinator.history(after: position).count == 1)
    }

    // MARK: - Conflicts

    private func conflict(_ calendar: Calendar) throws -> ConflictEntry {
        let all = try calendar.coordinator.conflicts(.all)
        #expect(all.count == 1)
        return try #require(all.first)
    }

    @Test func `a losing map is reported as one value, and restored as one`() throws {
        try here.edit(["start": 1])
        try there.edit(["end": 20])
        try exchange()
        #expect(try here.time() == [9, 20])
        let lost = try conflict(here)
        #expect(lost.property.name == "time")
        try here.inContext { context throws in
            let meeting = try context.restore(lost)
            #expect(meeting.time == [1, 10])
            try context.save()
        }
        try exchange()
        #expect(try there.time() == [1, 10])
        #expect(try conflict(there).value == lost.value, "a restored value is a later write")
    }

    @Test func `a restored map has the members that this model does not know`() throws {
        let old = try Calendar(["start"])
        try exchange(old)
        // The older app's value keeps the end that it had, and does not replace another end.
        try here.edit(["end": 20])
        try old.edit(["start": 8])
        try exchange(old)
        #expect(try here.time() == [8, 10])
        let lost = try conflict(old)
        try old.inContext { context throws in
            let meeting = try context.restore(lost)
            #expect(meeting["start"] == 9)
            try context.save()
            #expect(!context.hasChanges)
        }
        try exchange(old)
        #expect(try here.time() == [9, 20])
    }

    @Test func `a restored map with unchanged known members is written all the same`()
        throws
    {
        let old = try Calendar(["start"])
        try exchange(old)
        try here.edit(["end": 20])
        try there.edit(["end": 30])
        try exchange(old)
        #expect(try here.time() == [9, 30])
        let lost = try conflict(old)
        try old.inContext { context throws in
            try context.restore(lost)
            context.rollback()
            try context.restore(lost)
            try context.save()
        }
        try exchange(old)
        #expect(try there.time() == [9, 20])
    }

    @Test func `a restored map is written also where restoring it was undone and redone`() throws {
        let old = try Calendar(["start"])
        try exchange(old)
        try here.edit(["end": 20])
        try there.edit(["end": 30])
        try exchange(old)
        let lost = try conflict(old)
        try old.inContext { context throws in
            context.undoManager = UndoStack()
            try context.restore(lost)
            context.processPendingChanges()
            context.undo()
            #expect(!context.hasChanges)
            context.redo()
            try context.save()
        }
        try exchange(old)
        #expect(try there.time() == [9, 20])
    }

    /// Returns a save that a zone has rejected, as its store keeps it.
    private func rejected(_ calendar: Calendar) throws -> RejectedSave {
        let position = try calendar.coordinator.currentHistoryPosition().rawValue - 1
        let entry = try #require(
            try calendar.coordinator.store.read { reader in
                try reader.changeSets(after: position, limit: 1).first
            })
        return RejectedSave(
            id: 1, changeSet: entry.changeSet, consequences: [],
            rejection: SaveRejection(.notAllowed, "Not today."), noticedMilliseconds: 0)
    }

    @Test func `a redone save keeps the group members that this model does not know`() throws {
        let old = try Calendar(["start"])
        try here.edit(["start": 1, "end": 2])
        let update = try rejected(here)
        try here.inContext { context throws in
            let meeting = try context.insert("Meeting")
            meeting["end"] = 40
            try context.save()
        }
        let insert = try rejected(here)
        try there.edit(["end": 30, "title": "other"])
        try exchange(old)
        try old.inContext { context throws in
            #expect(try context.reapply(update).omissions.isEmpty)
            #expect(try context.reapply(insert).omissions.isEmpty)
            try context.save()
        }
        try exchange(old)
        let times = try there.inContext { context throws in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Meeting")).map(\.time)
        }
        #expect(Set(times) == [[1, 2], [.null, 40]])
        #expect(times.count == 3, "the inserted one is another object")
    }

    @Test func `a group lost with a deleted object can be inserted whole`() throws {
        try there.edit(["start": 3, "end": 4])
        try here.inContext { context throws in
            context.delete(try context.meeting())
            try context.save()
        }
        try exchange()
        let lost = try conflict(here)
        let values = try here.inContext { context throws in
            let lost = try context.discardedValues(of: lost)
            #expect(lost.attributes["start"] == 3 && lost.attributes["end"] == 4)
            let time = try context.insert(lost).time
            try context.save()
            return time
        }
        #expect(values == [3, 4])
        try exchange()
        #expect(try there.time() == [3, 4])
    }
}
