import AnabranchProtocol

extension RequestMemory {
    /// The time that a request waits for memory that others use.
    private static let patience = 1.0

    /// Takes memory for work on the request, waiting for it for a moment. Nothing is taken beyond
    /// the limit of one request, because a large value may need more than that.
    ///
    /// - Throws: `overloaded` if others use too much memory.
    func need(_ count: Int) throws(ProtocolError) {
        guard take(min(count, room), waiting: Self.patience) else { throw Self.isShort }
    }

    /// Takes memory of which all is needed, waiting for it for a moment.
    ///
    /// - Returns: False if the request can never have that much.
    ///
    /// - Throws: `overloaded` if others use too much memory.
    func needAll(_ count: Int) throws(ProtocolError) -> Bool {
        guard count <= room else { return false }
        guard take(count, waiting: Self.patience) else { throw Self.isShort }
        return true
    }

    /// The number of bytes up to the limit of one request.
    var room: Int { max(limit - byteCount, 0) }

    /// The error of a request for which there is no memory now.
    static let isShort = ProtocolError(
        .overloaded,
        "Can't work on the request now because the server has too little memory: try "
            + "again.")
}
