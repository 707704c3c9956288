internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// A save in parts is sent as a small change set that lists its parts. The parts are sent before it:
// to the zone's stage before the push is accepted, or to the store's table before the page is
// applied. Received parts are kept, so an interrupted exchange continues behind them.
extension SyncSession {

    // MARK: - From the zone

    /// Requests the next piece of a part that a page needs.
    mutating func fetch(
        _ part: LackingPart, of pages: [RemotePage], at input: StepInput
    ) -> Action {
        phase = .fetchingPart(pages, part)
        let limit = min(exchange.byteLimit, limits.pieceBytes)
        let request = PartRequest(
            part: part.part, start: UInt64(part.heldBytes), byteLimit: UInt64(limit))
        return send(.part, request.encoded(), at: input)
    }

    /// Checks a received piece, and stores it.
    mutating func fetched(
        _ part: LackingPart, of pages: [RemotePage], _ body: [UInt8], at input: StepInput
    ) -> Action {
        let response: PartResponse
        do throws(ProtocolError) {
            response = try PartResponse(decoding: body)
            guard !response.bytes.isEmpty,
                response.bytes.count <= part.part.byteCount - part.heldBytes
            else {
                throw ProtocolError(
                    .malformedRequest,
                    "Can't use a piece of a part because it has \(response.bytes.count) bytes, not "
                        + "1 to \(part.part.byteCount - part.heldBytes).")
            }
        } catch {
            return damaged(error, at: input)
        }
        phase = .keepingPart(pages)
        return .store(.keep(response.bytes, of: part.part, at: part.heldBytes))
    }

    /// Applies the page if this was the last missing piece.
    mutating func kept(_ pages: [RemotePage], at input: StepInput) -> Action {
        // A part that is damaged again and again must end the exchange, so its failures still
        // count.
        if !exchange.hasDamagedPart { exchange.failures = 0 }
        return apply(pages, at: input)
    }

    // MARK: - To the zone

    /// Sends parts, because the zone has refused a save and named the first missing byte.
    mutating func sendParts(_ error: SyncError, at input: StepInput) -> Action {
        exchange.partRefusals += 1
        guard let set = exchange.refused, set.kind == .saveInParts,
            let number = error.details["part"].flatMap({ Int($0) }),
            let held = error.details["held"].flatMap({ Int($0) })
        else { return stopPush(error, at: input) }
        if (number, held) > exchange.partPlace {
            exchange.partPlace = (number, held)
            exchange.partRefusals = 0
        }
        guard exchange.partRefusals < limits.retry.attempts else {
            return stopPush(error, at: input)
        }
        exchange.failures = 0
        return loadPiece(of: set, part: number, from: held)
    }

    private mutating func loadPiece(
        of set: ChangeSet, part number: Int, from start: Int
    ) -> Action {
        phase = .loadingPiece(set)
        let limit = min(batchBytes, limits.pieceBytes)
        return .store(.loadPiece(of: set, part: number, from: start, byteLimit: limit))
    }

    /// Sends a loaded piece.
    ///
    /// - Parameter piece: The piece, or `nil` if another process has rewritten the save meanwhile.
    mutating func loaded(
        _ piece: PartPiece?, of set: ChangeSet, at input: StepInput
    ) -> Action {
        guard let piece else { return load() }
        phase = .sendingPiece(set, piece)
        let request = StageRequest(
            part: piece.part, start: UInt64(piece.start), bytes: piece.bytes)
        return send(.stage, request.encoded(), at: input)
    }

    /// Continues with the next missing piece of the save, or pushes again after the last one.
    mutating func staged(
        _ piece: PartPiece, of set: ChangeSet, _ body: [UInt8], at input: StepInput
    ) -> Action {
        let held: Int
        do throws(ProtocolError) {
            held = Int(clamping: try StageResponse(decoding: body).heldBytes)
            // Every answer must make progress, so that the exchange ends.
            guard held > piece.start, held <= piece.part.byteCount else {
                throw ProtocolError(
                    .malformedRequest,
                    "Can't continue with a part because the zone holds \(held) bytes of it after "
                        + "byte \(piece.start) was sent.")
            }
        } catch {
            return damaged(error, at: input)
        }
        exchange.failures = 0
        if held < piece.part.byteCount { return loadPiece(of: set, part: piece.number, from: held) }
        let next = piece.number + 1
        guard let count = try? set.parts().count, next < count else { return load() }
        return loadPiece(of: set, part: next, from: 0)
    }
}
