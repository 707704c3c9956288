import AnabranchProtocol
import AnabranchReplication

/// Checks if the log may accept a change set: its origin, sequence and causes, the order of
/// its times, and its clock, in this order.
struct PushCheck {
    enum Verdict {
        /// The log already holds the save, in this form.
        case held(ZoneLogLocation)
        case new
    }

    let writer: ZoneDraft
    let log: LogState
    let limits: ZoneLimits
    let wallMilliseconds: Int64

    /// Checks a change set against the log.
    ///
    /// - Throws: `ProtocolError` `forked`, `sequenceGap`, `missingCauses`, `timeOrder`, `clockSkew`
    ///   or `invalidChangeSet`.
    func verdict(on changeSet: ChangeSet) throws -> Verdict {
        if let place = try writer.place(ofOrigin: changeSet.origin) { return .held(place) }
        try checkPlace(of: changeSet)
        if Mechanism.causeCheck.isOn { try checkCauses(of: changeSet) }
        try checkOrder(of: changeSet)
        if Mechanism.clockLimit.isOn { try checkClock(of: changeSet) }
        return .new
    }

    // The predecessor of most change sets is the one before it in the same request.

    private func place(of dot: Dot) throws -> ZoneLogLocation? {
        if let last = log.appended, last.dot == dot { return last }
        return try writer.place(of: dot)
    }

    private func head(of replica: ReplicaID) throws -> ReplicaHead? {
        if let last = log.appended, last.dot.replica == replica {
            return ReplicaHead(sequence: last.dot.sequence, origin: last.origin)
        }
        return try writer.head(of: replica)
    }

    private func checkPlace(of changeSet: ChangeSet) throws {
        let dot = changeSet.dot
        let head = try head(of: dot.replica)
        let last = head?.sequence ?? 0
        if dot.sequence <= last {
            let held = try place(of: dot)
            guard !Mechanism.gapCheck.isOn, held == nil else {
                throw forked(
                    dot, "the zone holds another change set under that name", held?.origin)
            }
            return
        }
        guard Mechanism.gapCheck.isOn else { return }
        guard dot.sequence == last + 1 else {
            throw ProtocolError(
                .sequenceGap,
                "Can't accept change set \(dot) because \(last + 1) is the next one of its "
                    + "replica: push from there.",
                details: [
                    "replica": dot.replica.description, "sequence": "\(last + 1)",
                    "expected": "\(last + 1)", "refused": "\(dot.sequence)",
                ])
        }
        try checkPredecessor(of: changeSet, head: head)
    }

    /// Checks that the change set continues the history that the zone holds of its replica.
    ///
    /// The entry of a lost change set may continue any history, and any change set may follow it.
    private func checkPredecessor(of changeSet: ChangeSet, head: ReplicaHead?) throws {
        guard changeSet.kind != .lost else { return }
        if let head {
            guard try head.origin == changeSet.previousOrigin || isLost(changeSet.dot.predecessor)
            else {
                throw forked(changeSet.dot, "its predecessor is not the one that the zone holds")
            }
            return
        }
        guard changeSet.previousOrigin != .zero else { return }
        // A change set with a new replica ID continues the history of the former replica ID.
        guard changeSet.rewrittenFrom != nil else {
            throw ProtocolError(
                .invalidChangeSet,
                "Can't accept change set \(changeSet.dot) because the first of a replica has no "
                    + "predecessor.", details: changeSet.dot.details)
        }
        guard try writer.place(ofOrigin: changeSet.previousOrigin) == nil,
            try !isLost(changeSet.rewrittenFrom?.predecessor)
        else { return }
        throw try missing(
            changeSet.dot, "the set before it under its former name",
            changeSet.rewrittenFrom?.predecessor)
    }

    private func isLost(_ dot: Dot?) throws -> Bool {
        try dot.flatMap { try place(of: $0) }?.kind == .lost
    }

    private func checkCauses(of changeSet: ChangeSet) throws {
        if let prefix = changeSet.context.prefix {
            let reach = log.history.reach(of: prefix.epoch, head: log.head.position)
            guard let reach, prefix.position <= reach else {
                throw try missing(
                    changeSet.dot, "position \(prefix.position) of epoch \(prefix.epoch)")
            }
        }
        for entry in changeSet.context.beyond {
            guard let place = try place(of: entry.dot),
                place.kind == .lost || place.origin.prefix == entry.originPrefix
                    || entry.namesLoss
            else { throw try missing(changeSet.dot, "change set \(entry.dot)", entry.dot) }
        }
    }

    /// Checks that the timestamps of a replica ascend, because a stamp names one save.
    ///
    /// They may not ascend if two replicas hold a change set under different earlier timestamps and
    /// each has saved after it.
    private func checkOrder(of changeSet: ChangeSet) throws {
        guard changeSet.kind != .lost, let dot = changeSet.dot.predecessor,
            let last = try place(of: dot), last.kind != .lost,
            last.timestamp >= changeSet.timestamp
        else { return }
        var details = changeSet.dot.details
        details["predecessorTime"] = "\(last.timestamp.rawValue)"
        throw ProtocolError(
            .timeOrder,
            "Can't accept change set \(changeSet.dot) because its time is not later than that of "
                + "\(dot) in the zone's log: pull first.", details: details)
    }

    /// The ticks by which a time may pass the greatest time of the log, whatever the server's clock
    /// shows: 1/128 of a millisecond.
    ///
    /// If the clock was set back, stores go on from times that they have seen, by one tick for each
    /// save. Saves of unsynced records take ticks too, and are not pushed. A client would need
    /// 128,000 saves a second to keep the lead that it has, which is more than a zone takes.
    private static let ticksBeyondLog: UInt64 = 512

    private func checkClock(of changeSet: ChangeSet) throws {
        let stamp = changeSet.timestamp
        let (limit, isBeyond) = wallMilliseconds.addingReportingOverflow(
            limits.clockMilliseconds)
        let byClock = HybridTimestamp(
            wallMilliseconds: isBeyond ? .max : limit, counter: .max)
        let (next, isLast) = log.greatestTimestamp.rawValue.addingReportingOverflow(
            Self.ticksBeyondLog)
        let byLog = HybridTimestamp(rawValue: isLast ? .max : next)
        guard stamp > byClock, stamp > byLog else { return }
        let ahead = stamp.wallMilliseconds - wallMilliseconds
        var details = changeSet.dot.details
        details["aheadMilliseconds"] = "\(ahead)"
        details["limit"] = "\(limits.clockMilliseconds)"
        throw ProtocolError(
            .clockSkew,
            "Can't accept change set \(changeSet.dot) because its time is \(ahead) ms ahead of "
                + "the server's clock: set the device's clock.", details: details)
    }

    /// The error for a fork.
    ///
    /// - Parameter origin: The origin of the change set that the zone holds under the dot.
    private func forked(
        _ dot: Dot, _ cause: String, _ origin: Digest? = nil
    ) -> ProtocolError {
        var details = dot.details
        if let origin { details["origin"] = origin.description }
        return ProtocolError(
            .forked, "Can't accept change set \(dot) because \(cause).", details: details)
    }

    /// The error for a missing cause.
    ///
    /// - Parameter cause: The missing change set, if its dot is known.
    private func missing(
        _ dot: Dot, _ what: String, _ cause: Dot? = nil
    ) throws -> ProtocolError {
        var details = dot.details
        if let cause {
            details["causeReplica"] = cause.replica.description
            details["causeSequence"] = "\(cause.sequence)"
            let last = try head(of: cause.replica)?.sequence ?? 0
            details["causeNext"] = "\(last + 1)"
        }
        return ProtocolError(
            .missingCauses,
            "Can't accept change set \(dot) because its author held \(what), which the zone "
                + "does not: push that first.", details: details)
    }
}
