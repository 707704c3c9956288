import AnabranchProtocol
import AnabranchReplication

extension ZoneService {
    /// Asks the operator's hook about the saves of a push that are new to the zone.
    ///
    /// No transaction is open while the hook works. The saves are shown in one call, unless they or
    /// the JSON that shows them, have more bytes than a request body may have. Saves behind one
    /// that lacks parts are not shown, because the push is refused there.
    ///
    /// - Returns: The job with the verdicts.
    ///
    /// - Throws: `overloaded` if the hook gives no answer that can be used. Nothing is kept.
    func validated(_ job: PushJob, by hook: ValidationHook) throws -> PushJob {
        var job = job
        var place = ShownPlace()
        let room = job.memory.map { DecodingRoom($0) }
        while place.changeSet < job.changeSets.count {
            defer { room?.release() }
            var page: ShownPage
            let verdicts: [ValidationVerdict]
            do {
                let empty = try ValidationRequest(
                    zone: name.string, author: ValidationAuthor(job.origin),
                    reserving: room?.reserve(byteCount:))
                page = try storage.read { reader in
                    try ShownPage(of: job, from: place, reader, limits: limits, empty, in: room)
                }
                verdicts = try self.verdicts(on: &page, by: hook)
            } catch is ShownJSON.NoRoom {
                throw RequestMemory.isShort
            }
            for (number, rejection) in page.rejected {
                job.changeSets[number].verdict = .rejected(rejection)
            }
            for (shown, verdict) in zip(page.shown, verdicts) {
                job.changeSets[shown.number].note(verdict, isLast: shown.isLast)
            }
            place = page.end
        }
        return job
    }

    private func verdicts(
        on page: inout ShownPage, by hook: ValidationHook
    ) throws -> [ValidationVerdict] {
        guard !page.shown.isEmpty else { return [] }
        let id = hook.nextID()
        let line = try page.request.finish(id: id)
        let start = ContinuousClock.now
        defer { metrics.validationSeconds.record((ContinuousClock.now - start) / .seconds(1)) }
        do throws(ValidationFailure) {
            let verdicts = try hook.verdicts(
                on: line, id: id, count: page.shown.count, zone: name.string)
            for verdict in verdicts {
                metrics.validations.add(1, verdict == .accepted ? "accepted" : "rejected")
            }
            return verdicts
        } catch {
            metrics.validations.add(Double(page.shown.count), "failed")
            throw ProtocolError(
                .overloaded,
                "Can't accept a push to zone \(name) now because the server's validation hook "
                    + "gives no answer: try again.",
                details: [
                    ProtocolError.causeDetail: "The validation hook failed: \(error.cause)."
                ])
        }
    }
}

extension ValidationAuthor {
    fileprivate init(_ origin: RequestOrigin?) {
        self.init()
        guard let origin else { return }
        request = origin.request.isEmpty ? nil : origin.request
        address = origin.address.isEmpty ? nil : origin.address
        switch origin.holder {
        case .token(let number): token = number
        case .subject(let name): subject = name
        }
    }
}

extension IncomingChangeSet {
    /// Combines the verdict on the save, or on one of its parts, with those on earlier parts.
    ///
    /// - Parameter isLast: True if no further part follows.
    fileprivate mutating func note(_ verdict: ValidationVerdict, isLast: Bool) {
        guard self.verdict == nil, verdict != .accepted || isLast else { return }
        self.verdict = verdict
    }

    /// The rejection of a save by the operator's hook; `nil` if the hook has accepted it.
    ///
    /// A save without a verdict was shown in no call, because the zone had held it, or had lacked a
    /// part of it, when the hook was asked. It is refused, so no save is accepted unchecked.
    func rejectionByHook() throws(ProtocolError) -> SaveRejection? {
        guard changeSet.kind.isSave else { return nil }
        switch verdict {
        case .accepted: return nil
        case .rejected(let rejection): return rejection
        case nil:
            throw ProtocolError(
                .overloaded,
                "Can't accept change set \(changeSet.dot) before the server's validation hook has "
                    + "seen it: try again.", details: changeSet.dot.details)
        }
    }
}
