internal import AnabranchReplication

extension ProtocolError {
    init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        let code = Code(rawValue: try reader.readName())
        let message = try reader.readString()
        var details: [String: String] = [:]
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let key = try reader.readName()
            details[key] = try reader.readString()
        }
        self.init(code, message, details: details)
    }

    func write(to writer: inout ByteWriter) {
        writer.append(string: code.rawValue)
        writer.append(string: message)
        writer.append(count: details.count)
        for (key, value) in details.sorted(by: { WireName($0.key) < WireName($1.key) }) {
            writer.append(string: key)
            writer.append(string: value)
        }
    }
}
