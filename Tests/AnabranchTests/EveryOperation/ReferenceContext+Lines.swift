extension ReferenceContext {
    /// The lines that the context should show, one for each object, and the results that it should
    /// find.
    var lines: [String] {
        let found = view.things.filter { !$0.value.isTag && $0.value.values["a"] == 1 }
        return heldLines + ["a == 1: \(found.keys.sorted())", "\(view.things.count) things"]
    }

    /// The lines that it should show without a fetch.
    var heldLines: [String] {
        let shown = view
        let lines = shown.things.map { line(of: $0.key, $0.value, in: shown) }
        return lines.sorted() + ["deleted: \(deleted.sorted())", "changes: \(hasChanges)"]
    }

    private func line(of key: Int, _ thing: SnapshotObject, in shown: GraphSnapshot) -> String {
        var line = "\(thing.isTag ? "tag" : "node") \(key):"
        for name in ["a", "b"] { if let value = thing.values[name] { line += " \(name)=\(value)" } }
        for name in ["boss", "owner"] {
            if let target = thing.targets[name] { line += " \(name)=\(target)" }
        }
        let many: [(String, [Int])] =
            thing.isTag
            ? [("nodes", shown.linked(to: key, by: "tags"))]
            : [
                ("friends", shown.linked(to: key, by: "friends")),
                ("parts", shown.holders(of: key, by: "owner")),
                ("reports", shown.holders(of: key, by: "boss")),
                ("tags", shown.linked(to: key, by: "tags")),
            ]
        for (name, keys) in many where !keys.isEmpty { line += " \(name)=\(keys)" }
        if made[key] != nil { return line + ", inserted" }
        let names = changedNames(of: key)
        let isUpdated = updated.contains(key)
        return line + (isUpdated || !names.isEmpty ? ", updated \(isUpdated) \(names)" : "")
    }
}
