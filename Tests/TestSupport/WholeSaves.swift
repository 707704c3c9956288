package import AnabranchReplication

extension Rewriting {
    /// Records the new dot and timestamp of a change set that is not a save in parts.
    package mutating func rename(_ set: ChangeSet, to name: Name) throws {
        try rename(set, to: name, NoParts())
    }
}

private struct NoParts: PartReading {
    struct Missing: Error {}

    func bytes(of part: SavePart) throws -> [UInt8] { throw Missing() }
}
