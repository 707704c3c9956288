import AnabranchProtocol

extension RequestMemory {
    /// The time that a request waits for memory that others use.
    private static let patience = 1.0

    /// Takes memory for work on the request, waiting for it for a moment.
    ///
    /// - Throws: `overloaded` if others use too much memory.
    func need(_ count: Int) throws(ProtocolError) {
        // A request that needs more than there is gets everything, once no other has any.
        let most = max(limit - byteCount, 0)
        guard take(min(count, most), waiting: Self.patience) else { throw Self.isShort }
    }

    /// The error of a request for which there is no memory now.
    static let isShort = ProtocolError(
        .overloaded, "Can't work on the request now because the server has too little memory: try "
            + "again.")
}
