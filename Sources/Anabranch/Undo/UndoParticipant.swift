/// A context that registers its changes in an undo stack, which does not keep it.
struct UndoParticipant {
    weak var context: ManagedObjectContext?
}
