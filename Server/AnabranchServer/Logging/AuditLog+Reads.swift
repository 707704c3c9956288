import AnabranchProtocol

extension AuditLog {
    /// Writes the line of a read, unless it read nothing because there was nothing new.
    ///
    /// - Throws: ``HTTPServerError`` if not the whole line could be written.
    func write(_ record: ReadRecord) throws {
        guard !record.isEmpty else { return }
        let event = record.event.rawValue
        var line: JSONLine
        var omitted: Int64?
        if case .refused = record.content {
            guard let begun = beginRefusal(event, of: record.origin, zone: record.zone) else {
                return
            }
            (line, omitted) = begun
        } else {
            line = begin(event)
        }
        line.append(record.origin, zone: record.zone)
        switch record.content {
        case .changeSets(let count, let position):
            line.append("changeSets", Int64(count))
            line.append("lastPosition", Int64(clamping: position))
        case .chunk(let number, let count, let position):
            line.append("chunk", Int64(clamping: number))
            line.append("chunks", Int64(clamping: count))
            line.append("lastPosition", Int64(clamping: position))
        case .records(let count, let position):
            line.append("records", Int64(count))
            line.append("lastPosition", Int64(clamping: position))
        case .bytes(let count): line.append("bytes", Int64(count))
        case .refused(let code): line.append("error", code.rawValue)
        }
        line.append("omitted", omitted)
        try write(line)
    }
}
