internal import AnabranchProtocol

/// An error page that the sync server has not written: something on the way to it has, such as a
/// proxy, or the address is that of another server.
struct ForeignAnswer {
    let status: Int
    /// The address of the server, as it was configured.
    let server: String
    /// The verb phrase for what was tried.
    let purpose: String
    /// The number of bytes of the request's body, as it was sent.
    let bodyByteCount: Int

    /// The error for the status. Its detail `status` shows that the server has not written it.
    var error: ProtocolError {
        ProtocolError(code, "Can't \(purpose) because \(cause)", details: ["status": "\(status)"])
    }

    private var code: ProtocolError.Code {
        switch status {
        case 401: .unauthorized
        case 403: .forbidden
        case 404: .notFound
        case 413: .bodyTooLarge
        case 408, 429, 500...: .overloaded
        default: .malformedRequest
        }
    }

    private var cause: String {
        switch status {
        case 413:
            "something on the way to \(server), such as a proxy, refuses a request of "
                + "\(bodyByteCount) bytes as too large (status 413). Have its limit of bodies "
                + "raised; in nginx it is client_max_body_size."
        case 401, 403, 407:
            "\(server) answers with status \(status), which is not a sync server's answer. Check "
                + "the address, and whether a proxy on the way asks for a login of its own."
        default:
            "\(server) answers with status \(status), which is not a sync server's answer. Check "
                + "the address."
        }
    }
}

extension ProtocolError {
    /// The refusal of a request that was sent with a token, but reached the server without one.
    ///
    /// - Returns: This error if it is not about a missing token.
    func explainingRemovedToken(on server: String) -> ProtocolError {
        guard code == .unauthorized, details["reason"] == "missing" else { return self }
        return ProtocolError(
            code,
            "Can't use the token because the header Authorization does not reach the sync server "
                + "at \(server). Something on the way, such as a proxy, removes it. Have the proxy "
                + "pass the header.",
            details: details.merging(["reason": "removed"]) { _, new in new })
    }
}
