extension ReplicaID {
    /// Computes the replica ID that the losing branch of a forked history is renamed to.
    ///
    /// If two files saved under one replica ID, the branch in the zone's log keeps the name. The
    /// other branch is renamed from its first differing change set on. Every replica that holds
    /// that branch computes the same name: the first 16 bytes of H("fork" ‖ replica ‖ sequence ‖
    /// origin).
    ///
    /// - Parameters:
    ///   - dot: The dot of the branch's first differing change set before the renaming.
    ///   - origin: The origin of that change set.
    package init(ofForkAt dot: Dot, origin: Digest) {
        var writer = ByteWriter()
        writer.append(raw: Array("fork".utf8))
        writer.append(dot: dot)
        writer.append(digest: origin)
        let name = Digest(of: writer.bytes).bytes
        self.init(high: name[0..<8].bigEndianNumber, low: name[8..<Self.byteCount].bigEndianNumber)
    }
}
