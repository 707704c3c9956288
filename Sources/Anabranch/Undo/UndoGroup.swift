/// What one undo or redo takes back.
struct UndoGroup {
    struct Action {
        /// Whose action it is; not kept alive, and with it gone there is nothing to do.
        weak var target: AnyObject?
        let perform: () -> Void
    }

    var name = ""
    /// In the order in which they were registered.
    var actions: [Action] = []
}
