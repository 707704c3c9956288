import AnabranchProtocol

/// The body of a request to a zone, with the right that it uses and the memory that it takes.
struct ReceivedMessage {
    let body: [UInt8]
    let origin: RequestOrigin
    let memory: RequestMemory

    /// Takes memory for copies of the body, which decoding it and writing it makes.
    ///
    /// - Throws: `overloaded` if there is too little memory.
    func needCopies(_ count: Int) throws(ProtocolError) { try memory.need(count * body.count) }
}
