import AnabranchProtocol
import AnabranchReplication

/// Whether the log may take in a change set: its origin, its place, its causes and its clock, in
/// this order.
struct PushCheck {
    enum Verdict {
        /// The log holds the save already, in this form.
        case held(LogPlace)
        case new
    }

    let writer: any ZoneWriting
    let log: LogState
    let limits: ZoneLimits
    let wallMilliseconds: Int64
    let disabled: Set<Mechanism>

    /// - Throws: `ProtocolError` `forked`, `sequenceGap`, `missingCauses`, `timeOrder`,
    ///   `clockSkew` or `invalidChangeSet`.
    func verdict(on changeSet: ChangeSet) throws -> Verdict {
        if let place = try writer.place(ofOrigin: changeSet.origin) { return .held(place) }
        try checkPlace(of: changeSet)
        if !disabled.contains(.causeCheck) { try checkCauses(of: changeSet) }
        try checkOrder(of: changeSet)
        if !disabled.contains(.clockLimit) { try checkClock(of: changeSet) }
        return .new
    }

    private func checkPlace(of changeSet: ChangeSet) throws {
        let dot = changeSet.dot
        let head = try writer.head(of: dot.replica)
        let last = head?.sequence ?? 0
        if dot.sequence <= last {
            let held = try writer.place(of: dot)
            guard disabled.contains(.gapCheck), held == nil else {
                throw forked(
                    dot, "the zone holds another change set under that name", held?.origin)
            }
            return
        }
        guard !disabled.contains(.gapCheck) else { return }
        guard dot.sequence == last + 1 else {
            throw ProtocolError(
                .sequenceGap,
                "Can't take in change set \(dot) because \(last + 1) is the next one of its "
                    + "replica: push from there.",
                details: [
                    "replica": dot.replica.description, "sequence": "\(last + 1)",
                    "expected": "\(last + 1)", "refused": "\(dot.sequence)",
                ])
        }
        try checkPredecessor(of: changeSet, head: head)
    }

    /// What stands for a lost set continues whatever history, and whatever continues it.
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
        // A renamed set continues the history of the replica that it was renamed from.
        guard changeSet.rewrittenFrom != nil else {
            throw ProtocolError(
                .invalidChangeSet,
                "Can't take in change set \(changeSet.dot) because the first of a replica has no "
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
        try dot.flatMap { try writer.place(of: $0) }?.kind == .lost
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
            guard let place = try writer.place(of: entry.dot),
                place.kind == .lost || place.origin.prefix == entry.originPrefix
                    || entry.namesLoss
            else { throw try missing(changeSet.dot, "change set \(entry.dot)", entry.dot) }
        }
    }

    /// A stamp names one save, so the times of a replica ascend: also where two who hold a set have
    /// given it different earlier times, and each those behind it.
    private func checkOrder(of changeSet: ChangeSet) throws {
        guard changeSet.kind != .lost, let dot = changeSet.dot.predecessor,
            let last = try writer.place(of: dot), last.kind != .lost,
            last.timestamp >= changeSet.timestamp
        else { return }
        throw ProtocolError(
            .timeOrder,
            "Can't take in change set \(changeSet.dot) because its time is not later than that of "
                + "\(dot) in the zone's log: pull first.", details: changeSet.dot.details)
    }

    private func checkClock(of changeSet: ChangeSet) throws {
        let stamp = changeSet.timestamp
        let (limit, isBeyond) = wallMilliseconds.addingReportingOverflow(
            limits.clockMilliseconds)
        let byClock = HybridTimestamp(
            wallMilliseconds: isBeyond ? .max : limit, counter: .max)
        let byLog = HybridTimestamp(
            rawValue: log.greatestTimestamp.rawValue + UInt64(1000) << 16)
        guard stamp > byClock, stamp > byLog else { return }
        let ahead = stamp.wallMilliseconds - wallMilliseconds
        var details = changeSet.dot.details
        details["aheadMilliseconds"] = "\(ahead)"
        details["limit"] = "\(limits.clockMilliseconds)"
        throw ProtocolError(
            .clockSkew,
            "Can't take in change set \(changeSet.dot) because its time is \(ahead) ms ahead of "
                + "the server's clock: set the device's clock.", details: details)
    }

    /// - Parameter origin: Of the change set that has the name.
    private func forked(
        _ dot: Dot, _ cause: String, _ origin: Digest? = nil
    ) -> ProtocolError {
        var details = dot.details
        if let origin { details["origin"] = origin.description }
        return ProtocolError(
            .forked, "Can't take in change set \(dot) because \(cause).", details: details)
    }

    /// - Parameter cause: What is missing, where it is a change set that can be named.
    private func missing(
        _ dot: Dot, _ what: String, _ cause: Dot? = nil
    ) throws -> ProtocolError {
        var details = dot.details
        if let cause {
            details["causeReplica"] = cause.replica.description
            details["causeSequence"] = "\(cause.sequence)"
            let last = try writer.head(of: cause.replica)?.sequence ?? 0
            details["causeNext"] = "\(last + 1)"
        }
        return ProtocolError(
            .missingCauses,
            "Can't take in change set \(dot) because its author held \(what), which the zone "
                + "does not: push that first.", details: details)
    }
}
