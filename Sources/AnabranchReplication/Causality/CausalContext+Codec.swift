extension ByteWriter {
    /// Appends a flag for the prefix, its epoch and position, then the entries beyond it.
    package mutating func append(context: CausalContext) {
        append(byte: context.prefix == nil ? 0 : 1)
        if let prefix = context.prefix {
            append(replica: prefix.epoch)
            append(varint: prefix.position)
        }
        append(count: context.beyond.count)
        for entry in context.beyond {
            append(dot: entry.dot)
            append(bigEndian64: entry.originPrefix)
        }
    }
}

extension ByteReader {
    /// Reads a context that `append(context:)` wrote.
    ///
    /// - Parameter reserve: Called before the entries are allocated, with their number; false if
    ///   there is no memory for them.
    /// - Throws: ``ChangeSetDecodingError`` if the entries are too many or not ordered by replica
    ///   ID, or if there is no memory for them.
    package mutating func readContext(
        reserving reserve: ((_ entryCount: Int) -> Bool)? = nil
    ) throws(ChangeSetDecodingError) -> CausalContext {
        var prefix: CausalContext.Prefix?
        if try readFlag() {
            let epoch = try readReplica()
            prefix = CausalContext.Prefix(epoch: epoch, position: try readQuantity())
        }
        let count = try readCount(ofAtLeast: 25)
        guard count <= Limits.longestContextVector else {
            throw failure(
                .limitExceeded,
                "a causal context has \(count) entries, more than \(Limits.longestContextVector)")
        }
        guard reserve?(count) ?? true else {
            throw failure(.noRoom, "there is no memory for a causal context of \(count) entries")
        }
        var beyond: [CausalContext.Entry] = []
        beyond.reserveCapacity(count)
        for _ in 0..<count {
            let dot = try readDot()
            guard beyond.last.map({ $0.dot.replica < dot.replica }) ?? true else {
                throw failure(.malformed, "a causal context is not ordered by replica ID")
            }
            beyond.append(.init(dot: dot, originPrefix: try readBigEndian64()))
        }
        return CausalContext(prefix: prefix, ordered: beyond)
    }
}
