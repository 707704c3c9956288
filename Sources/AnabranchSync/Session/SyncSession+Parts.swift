internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// A save in parts travels as a small set that lists its parts. The parts go ahead of it: to a
// zone's stage before the push is taken in, into the store's table before the page is applied. What
// has come stays, whatever breaks off, and the next exchange goes on behind it.
extension SyncSession {

    // MARK: - From the zone

    mutating func fetch(
        _ part: LackingPart, of pages: [RemotePage], at moment: Moment
    ) -> Action {
        phase = .fetchingPart(pages, part)
        let limit = min(exchange.byteLimit, limits.pieceBytes)
        let request = PartRequest(
            part: part.part, start: UInt64(part.heldBytes), byteLimit: UInt64(limit))
        return send(.part, request.encoded(), at: moment)
    }

    mutating func fetched(
        _ part: LackingPart, of pages: [RemotePage], _ body: [UInt8], at moment: Moment
    ) -> Action {
        let response: PartResponse
        do throws(ProtocolError) {
            response = try PartResponse(decoding: body)
            guard !response.bytes.isEmpty,
                response.bytes.count <= part.part.byteCount - part.heldBytes
            else {
                throw ProtocolError(
                    .malformedRequest,
                    "Can't take a piece of \(response.bytes.count) bytes of a part.")
            }
        } catch {
            return damaged(error, at: moment)
        }
        phase = .keepingPart(pages)
        return .store(.keep(response.bytes, of: part.part, at: part.heldBytes))
    }

    /// Applies the page, if that was the last piece.
    mutating func kept(_ pages: [RemotePage], at moment: Moment) -> Action {
        // A part that is never what it should be has to come to an end.
        if !exchange.hasDamagedPart { exchange.failures = 0 }
        return apply(pages, at: moment)
    }

    // MARK: - To the zone

    /// The zone has refused a save because it lacks parts, and says from where on.
    mutating func sendParts(_ error: SyncError, at moment: Moment) -> Action {
        exchange.partRefusals += 1
        guard let set = exchange.refused, set.kind == .saveInParts,
            let number = error.details["part"].flatMap({ Int($0) }),
            let held = error.details["held"].flatMap({ Int($0) })
        else { return stopPush(error, at: moment) }
        if (number, held) > exchange.partPlace {
            exchange.partPlace = (number, held)
            exchange.partRefusals = 0
        }
        guard exchange.partRefusals < limits.retry.attempts else {
            return stopPush(error, at: moment)
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

    /// - Parameter piece: `nil` where another program has given the save another form meanwhile.
    mutating func loaded(
        _ piece: PartPiece?, of set: ChangeSet, at moment: Moment
    ) -> Action {
        guard let piece else { return load() }
        phase = .sendingPiece(set, piece)
        let request = StageRequest(
            part: piece.part, start: UInt64(piece.start), bytes: piece.bytes)
        return send(.stage, request.encoded(), at: moment)
    }

    mutating func staged(
        _ piece: PartPiece, of set: ChangeSet, _ body: [UInt8], at moment: Moment
    ) -> Action {
        let held: Int
        do throws(ProtocolError) {
            held = Int(clamping: try StageResponse(decoding: body).heldBytes)
            // Each answer is nearer to the end, or the exchange does not come to one.
            guard held > piece.start, held <= piece.part.byteCount else {
                throw ProtocolError(
                    .malformedRequest,
                    "Can't go on with a part because the zone holds \(held) bytes of it after "
                        + "byte \(piece.start) was sent.")
            }
        } catch {
            return damaged(error, at: moment)
        }
        exchange.failures = 0
        if held < piece.part.byteCount { return loadPiece(of: set, part: piece.number, from: held) }
        let next = piece.number + 1
        guard let count = try? set.parts().count, next < count else { return load() }
        return loadPiece(of: set, part: next, from: 0)
    }
}
