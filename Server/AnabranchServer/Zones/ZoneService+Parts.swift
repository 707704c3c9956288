package import AnabranchProtocol
import AnabranchReplication

extension ZoneService {
    /// Stages a piece of a part before its save is pushed.
    ///
    /// Staged parts are in no log and no state, and are not sent to clients. A part is named by its
    /// digest, so any client may send it, any number of times. A part to which no client has added
    /// for a day is dropped.
    ///
    /// - Throws: `quotaExceeded` if the piece does not fit into a quota of the zone. `bodyTooLarge`
    ///   for a part that the zone never accepts. `storageFull` if too many bytes are staged: try
    ///   again later. `invalidChangeSet` if the complete part does not match its digest: it was
    ///   removed, so send it again.
    package func stage(_ request: StageRequest) throws(ProtocolError) -> StageResponse {
        try named {
            let part = request.part
            let limit = min(limits.partBytes, limits.saveBytes)
            guard part.byteCount <= limit else {
                throw ProtocolError(
                    .bodyTooLarge,
                    "Can't stage a part of \(part.byteCount) bytes because the limit is "
                        + "\(limit).", details: ["limit": "\(limit)"])
            }
            let held: Int?
            do {
                held = try transactions.write { try stage(request, $0) }
            } catch let error as ProtocolError where error.code == .quotaExceeded {
                metrics.quotaRefusals.add(1, error.details["quota"] ?? "")
                throw error
            }
            guard let held else {
                throw ProtocolError(
                    .invalidChangeSet,
                    "Can't stage a part because its bytes are not those that its digest names: "
                        + "send it again.")
            }
            return StageResponse(heldBytes: UInt64(held))
        }
    }

    /// Stages a piece within a write transaction.
    ///
    /// - Returns: The number of bytes held of the part; `nil` if its bytes do not match its digest.
    private func stage(_ request: StageRequest, _ writer: ZoneDraft) throws -> Int? {
        let part = request.part
        let now = wallMilliseconds()
        if request.start == 0 {
            try writer.dropStaged(untouchedSince: now - limits.stageMilliseconds)
        }
        let held = try writer.stored.heldBytes(of: part)
        guard held == Int(request.start), held < part.byteCount, !request.bytes.isEmpty else {
            return held
        }
        try checkRoom(for: request, held, in: try writer.stored.staged())
        let check = QuotaCheck(writer.quotas(), orElse: limits.quotas, wallMilliseconds: now)
        let before = writer.use()
        try writer.append(request.bytes, to: part, at: held, wallMilliseconds: now)
        writer.countPushed(request.bytes.count, on: check.today)
        if let refusal = check.refusal(from: before, to: writer.use(), of: "a part of a save") {
            throw refusal
        }
        guard held + request.bytes.count == part.byteCount else {
            return held + request.bytes.count
        }
        var digest = DigestBuilder()
        try writer.stored.forEachPiece(of: part) { digest.update($0) }
        guard digest.finish() == part.digest else {
            try writer.dropStaged([part])
            return nil
        }
        return part.byteCount
    }

    /// Checks the number of staged parts, which bounds the work of each request, and their bytes.
    private func checkRoom(
        for request: StageRequest, _ held: Int, in staged: StagedParts
    ) throws(ProtocolError) {
        guard staged.byteCount + request.bytes.count <= limits.stagedBytes else {
            throw ProtocolError(
                .storageFull,
                "Can't stage a part because \(limits.stagedBytes) bytes of unfinished saves are "
                    + "here: try again later.", details: ["limit": "\(limits.stagedBytes)"])
        }
        guard held > 0 || staged.count < limits.stagedParts else {
            throw ProtocolError(
                .storageFull,
                "Can't stage a part because \(limits.stagedParts) parts of unfinished saves are "
                    + "here: try again later.", details: ["limit": "\(limits.stagedParts)"])
        }
    }

    /// Reads a piece of a part of a save in the log.
    ///
    /// - Throws: `unknownPart` if no save of the log lists the part, or the log was compacted
    ///   beyond it: pull again.
    package func part(_ request: PartRequest) throws(ProtocolError) -> PartResponse {
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
