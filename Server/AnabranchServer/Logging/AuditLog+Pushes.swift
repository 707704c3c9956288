import AnabranchProtocol
import AnabranchReplication

extension AuditLog {
    /// Writes the line of a push, unless it only repeated what the zone held.
    ///
    /// - Throws: ``HTTPServerError`` if not the whole line could be written.
    func write(_ record: PushRecord) throws {
        guard !record.isRepetition else { return }
        var line: JSONLine
        var omitted: Int64?
        if record.newPositions.isEmpty {
            guard let begun = beginRefusal("push", of: record.origin, zone: record.zone) else {
                return
            }
            (line, omitted) = begun
        } else {
            line = begin("push")
        }
        line.append(record.origin, zone: record.zone)
        let (replicas, count) = Self.replicas(record.dots)
        line.append("replicas", replicas)
        if count > replicas.count { line.append("moreReplicas", Int64(count - replicas.count)) }
        line.append("accepted", Int64(record.acceptedCount))
        line.append("held", Int64(record.heldCount))
        line.append("rejected", Int64(record.rejections.count))
        line.append("refused", Int64(record.refusedCount))
        if let first = record.newPositions.first, let last = record.newPositions.last {
            line.append("firstPosition", Int64(clamping: first))
            line.append("lastPosition", Int64(clamping: last))
        }
        if !record.rejections.isEmpty { line.append("codes", Self.codes(record.rejections)) }
        line.append("error", record.refusal?.code.rawValue)
        line.append("omitted", omitted)
        try write(line)
    }

    /// The greatest number of replicas that a line names. A store pushes saves of a few at most.
    private static let mostReplicas = 100

    /// The first replicas in the order in which the request names them, each with its least and its
    /// greatest sequence number, and the number of all replicas.
    private static func replicas(_ dots: [Dot]) -> (lines: [JSONLine], count: Int) {
        var order: [ReplicaID] = []
        var ranges: [ReplicaID: ClosedRange<UInt64>] = [:]
        for dot in dots {
            if let range = ranges[dot.replica] {
                ranges[dot.replica] =
                    min(range.lowerBound, dot.sequence)...max(range.upperBound, dot.sequence)
            } else {
                order.append(dot.replica)
                ranges[dot.replica] = dot.sequence...dot.sequence
            }
        }
        let lines = order.prefix(mostReplicas).map { replica in
            var line = JSONLine()
            line.append("replica", replica.description)
            line.append("first", ranges[replica].map { Int64(clamping: $0.lowerBound) })
            line.append("last", ranges[replica].map { Int64(clamping: $0.upperBound) })
            return line
        }
        return (lines, order.count)
    }

    /// The codes of rejections in alphabetical order, each with its number.
    private static func codes(_ codes: [SaveRejection.Code]) -> [JSONLine] {
        let counts = codes.reduce(into: [:]) { $0[$1.rawValue, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { code, count in
            var line = JSONLine()
            line.append("code", code)
            line.append("count", Int64(count))
            return line
        }
    }
}

extension JSONLine {
    /// Adds the request, its zone, the right that it used, and the client's address.
    mutating func append(_ origin: RequestOrigin?, zone: ZoneName) {
        append("request", origin?.request)
        append("zone", zone.string)
        switch origin?.holder {
        case .token(let number): append("token", number)
        case .subject(let name): append("subject", name)
        case nil: break
        }
        append("address", origin?.address)
    }
}
