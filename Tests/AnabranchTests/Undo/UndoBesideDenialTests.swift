import Anabranch
import TestSupport
import Testing

/// A reference whose target may be denied to be deleted leads there until the save.
@Suite struct `Undoing beside a deletion that the save may deny` {
    /// A thing with a ward, and another thing, saved, and nothing to be undone.
    private func withWard(
        _ body: (
            ManagedObjectContext, UndoStack, _ warden: ManagedObject, _ ward: ManagedObject,
            _ other: ManagedObject
        ) throws -> Void
    ) throws {
        try Workshop().undoing { context, stack throws in
            let (warden, ward) = (try context.thing("w"), try context.thing("x"))
            let other = try context.thing("o")
            try ward.relate("warden", to: warden)
            try context.save()
            stack.removeAllActions()
            try body(context, stack, warden, ward, other)
        }
    }

    @Test(arguments: [false, true])
    func `an edit is undone to whom the reference had led`(isEmptied: Bool) throws {
        try withWard { context, _, warden, ward, other in
            try context.step { context.delete(warden) }
            try context.step { try ward.relate("warden", to: isEmptied ? nil : other) }
            context.undo()
            #expect(try warden.isDeleted && ward.object(forKey: "warden") === warden)
            #expect(throws: ValidationError.self) { try context.save() }
            context.undo()
            #expect(try !warden.isDeleted && ward.object(forKey: "warden") === warden)
            #expect(try warden.nameText("wards") == "x" && !context.hasChanges)
            context.redo()
            #expect(throws: ValidationError.self) { try context.save() }
            context.redo()
            try context.save()
            #expect(warden.managedObjectContext == nil)
        }
    }

    @Test func `an edit that leads to who is deleted with it is redone`() throws {
        try withWard { context, _, warden, _, other in
            try context.step {
                try other.relate("warden", to: warden)
                context.delete(warden)
            }
            context.undo()
            #expect(try other.object(forKey: "warden") == nil)
            try context.save()
            context.redo()
            #expect(try warden.isDeleted && other.object(forKey: "warden") === warden)
            context.undo()
            #expect(try other.object(forKey: "warden") == nil && warden.nameText("wards") == "x")
            #expect(!context.hasChanges)
        }
    }

    @Test func `once the deletion is saved the reference leads to nobody, and to who is made anew`()
        throws
    {
        try withWard { context, _, warden, ward, other in
            try context.step { context.delete(warden) }
            try context.step { try ward.relate("warden", to: other) }
            try context.save()
            context.undo()
            #expect(try ward.object(forKey: "warden") == nil && other.nameText("wards").isEmpty)
            context.undo()
            #expect(try ward.object(forKey: "warden") === warden)
            try context.save()
            try context.refreshAllObjects()
            #expect(try ward.object(forKey: "warden") === warden && warden.nameText("wards") == "x")
            context.redo()
            context.redo()
            #expect(try warden.isDeleted && ward.object(forKey: "warden") === other)
            try context.save()
        }
    }

    @Test func `who comes back leads to who is deleted`() throws {
        try withWard { context, _, warden, ward, _ in
            let new = try context.thing("n")
            try context.step { try new.relate("warden", to: warden) }
            try context.step { context.delete(warden) }
            try context.step {
                context.delete(ward)
                context.delete(new)
            }
            context.undo()
            #expect(try ward.object(forKey: "warden") === warden && warden.isDeleted)
            #expect(try new.object(forKey: "warden") === warden)
            context.undo()
            #expect(try warden.sortedNames("wards") == "nx")
            try context.save()
            #expect(try warden.sortedNames("wards") == "nx")
        }
    }
}
