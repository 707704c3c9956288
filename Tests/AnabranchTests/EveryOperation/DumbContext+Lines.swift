extension DumbContext {
    /// What the context should show, one line for each thing.
    var lines: [String] {
        let shown = view
        var lines = shown.things.map { line(of: $0.key, $0.value, in: shown) }.sorted()
        let found = shown.things.filter { !$0.value.isTag && $0.value.values["a"] == 1 }
        lines.append("a == 1: \(found.keys.sorted())")
        lines.append("deleted: \(deleted.sorted())")
        lines.append("changes: \(hasChanges), \(shown.things.count) things")
        return lines
    }

    private func line(of key: Int, _ thing: DumbThing, in shown: DumbPicture) -> String {
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
