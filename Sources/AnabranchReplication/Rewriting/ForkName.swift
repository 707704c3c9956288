extension ReplicaID {
    /// The name that one branch of a forked history takes.
    ///
    /// Where two files saved under one replica ID, the branch that the zone's log took first keeps
    /// the name; the other is renamed from its first divergent set on, and whoever holds it arrives
    /// at the same name: the first 16 bytes of H("fork" ‖ replica ‖ sequence ‖ origin).
    ///
    /// - Parameters:
    ///   - dot: Of the branch's first divergent set, as it was.
    ///   - origin: Of that set.
    public init(ofForkAt dot: Dot, origin: Digest) {
        var writer = ByteWriter()
        writer.append(raw: Array("fork".utf8))
        writer.append(dot: dot)
        writer.append(digest: origin)
        let name = Digest(of: writer.bytes).bytes
        self.init(
            high: name[0..<8].bigEndianNumber, low: name[8..<Self.byteCount].bigEndianNumber)
    }
}
