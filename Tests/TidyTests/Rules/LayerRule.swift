/// A file uses declarations of its own layer and of those below it.
///
/// A use is the name of a type, or a call of a member, which belongs to the folder that declares
/// it: an extension in a higher folder gives its members to no lower one.
struct LayerRule {
    let module: LayerList.Module
    let occurrences: Set<IndexStore.Occurrence>

    /// The greatest number of exceptions in the whole list.
    static let maximumExceptions = 8

    func violations() -> [Violation] {
        var declared: [String: String] = [:]
        for occurrence in occurrences where occurrence.isDefinition {
            declared[occurrence.symbol] = occurrence.path
        }
        let uses = occurrences.compactMap { occurrence -> Violation? in
            guard !occurrence.isDefinition, let path = declared[occurrence.symbol],
                path != occurrence.path
            else { return nil }
            return violation(of: occurrence, declaredIn: path)
        }
        // The index has an accessor beside its property, which gives the same violation again.
        return Set(unlisted() + uses).sorted { $0.description < $1.description }
    }

    private func violation(
        of use: IndexStore.Occurrence, declaredIn path: String
    ) -> Violation? {
        guard let user = module.layer(of: use.path), let used = module.layer(of: path),
            used.index > user.index,
            !module.exceptions.contains(.init(user: user.folder, used: used.folder))
        else { return nil }
        let accessors = ["getter:", "setter:"]
        let accessor = accessors.first(where: use.name.hasPrefix) ?? ""
        let name = use.name.dropFirst(accessor.count)
        return Violation(
            path: use.path, line: use.line,
            message: "\(user.folder) is a layer below \(used.folder), which declares \(name). "
                + "Move what both need to the lower layer, or give the lower one a closure, a "
                + "value or a protocol.")
    }

    /// The folders that the list does not name.
    private func unlisted() -> [Violation] {
        Set(occurrences.map(\.path)).sorted().filter {
            $0.hasPrefix(module.path + "/") && module.layer(of: $0) == nil
        }.map {
            Violation(
                path: $0, line: 1,
                message: "Documentation/Architecture.md does not list this file's folder among "
                    + "the layers of \(module.path).")
        }
    }
}
