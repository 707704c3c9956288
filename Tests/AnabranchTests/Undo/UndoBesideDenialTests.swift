import Anabranch
import TestSupport
import Testing

/// Tests of references to targets with a deletion that may be denied. They keep their target until
/// the save.
@Suite struct `Undoing beside a deletion that the save may deny` {
    /// Runs `body` with a thing with a ward, and another thing, saved, and an empty undo stack.
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
    func `an undone edit points to the deleted target again`(isEmptied: Bool) throws {
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

    @Test func `an edit that points to a target deleted in the same event is redone`() throws {
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

    @Test func `a reference is nil after its target's deletion was saved, until that is recreated`()
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

    @Test func `a restored object points to its deleted target`() throws {
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
