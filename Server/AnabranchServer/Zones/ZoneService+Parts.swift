public import AnabranchProtocol
import AnabranchReplication

extension ZoneService {
    /// Keeps a piece of a part whose save is still to come.
    ///
    /// What is staged is in no log, in no state, and not given out. A part is named by its digest,
    /// so it does not matter who sends it, how often, or whether its save ever comes: what nobody
    /// has gone on with for a day is dropped.
    ///
    /// - Throws: `bodyTooLarge` for a part that the zone never takes; `storageFull` where too much
    ///   is staged: try again later; `invalidChangeSet` where the part is whole now and not what
    ///   its digest says: it is gone, send it again.
    public func stage(_ request: StageRequest) throws(ProtocolError) -> StageResponse {
        try named {
            let part = request.part
            guard part.byteCount <= limits.partBytes else {
                throw ProtocolError(
                    .bodyTooLarge,
                    "Can't stage a part of \(part.byteCount) bytes because the limit is "
                        + "\(limits.partBytes).", details: ["limit": "\(limits.partBytes)"])
            }
            let held = try storage.write { try stage(request, $0) }
            guard let held else {
                throw ProtocolError(
                    .invalidChangeSet,
                    "Can't stage a part because its bytes are not those that its digest names: "
                        + "send it again.")
            }
            return StageResponse(heldBytes: UInt64(held))
        }
    }

    /// - Returns: How much of the part is here; `nil` where it turned out to be another.
    private func stage(_ request: StageRequest, _ writer: any ZoneWriting) throws -> Int? {
        let part = request.part
        let now = wallMilliseconds()
        if request.start == 0 {
            try writer.dropStaged(untouchedSince: now - limits.stageMilliseconds)
        }
        let held = try writer.heldBytes(of: part)
        guard held == Int(request.start), held < part.byteCount, !request.bytes.isEmpty else {
            return held
        }
        guard try writer.stagedBytes() + request.bytes.count <= limits.stagedBytes else {
            throw ProtocolError(
                .storageFull,
                "Can't stage a part because \(limits.stagedBytes) bytes of unfinished saves are "
                    + "here: try again later.", details: ["limit": "\(limits.stagedBytes)"])
        }
        try writer.append(request.bytes, to: part, at: held, wallMilliseconds: now)
        guard held + request.bytes.count == part.byteCount else {
            return held + request.bytes.count
        }
        var digest = DigestBuilder()
        try writer.forEachPiece(of: part) { digest.update($0) }
        guard digest.finish() == part.digest else {
            try writer.dropStaged([part])
            return nil
        }
        return part.byteCount
    }

    /// A piece of a part of a save that the log has.
    ///
    /// - Throws: `unknownPart` where no save of the log lists it, or the log has forgotten that
    ///   save: pull again.
    public func part(_ request: PartRequest) throws(ProtocolError) -> PartResponse {
        try named {
            try storage.read { reader in
                let part = request.part
                guard try reader.isInLog(part), request.start < UInt64(part.byteCount) else {
                    throw ProtocolError(
                        .unknownPart,
                        "Can't give a part because no save of the log has it: pull again.")
                }
                let limit = min(request.byteLimit, UInt64(limits.pageBytes))
                let piece = try reader.piece(of: part, from: Int(request.start))
                return PartResponse(bytes: Array(piece.prefix(max(Int(clamping: limit), 1))))
            }
        }
    }
}
