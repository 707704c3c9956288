package import AnabranchReplication

extension ChangeSet {
    /// Returns the save with all its operations in one payload, for oracles without support for
    /// parts. Dot, origin and digest are those of the save in parts.
    package func joined(_ parts: some PartReading) throws -> ChangeSet {
        guard kind == .saveInParts else { return self }
        var payload = ChangePayload(blocks: [])
        try forEachBlock(parts) { payload.blocks.append($0) }
        return ChangeSet(
            fromLog: .save, dot: dot, timestamp: timestamp, author: author, name: name,
            payload: payload.encoded(author: dot.replica), rewrittenFrom: rewrittenFrom,
            previousOrigin: previousOrigin, origin: origin, digest: digest, context: context)
    }
}
