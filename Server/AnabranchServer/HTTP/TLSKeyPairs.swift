import CGnuTLS
import Foundation
import Synchronization

/// The key pairs of the servers in this process, by the ports that they listen on.
///
/// libmicrohttpd asks for a pair at each handshake by a function without a context, so the function
/// finds the server by the port of the connection's own end. A pair that was replaced is kept until
/// its server stops, because a handshake may still use it.
final class TLSKeyPairs: Sendable {
    static let shared = TLSKeyPairs()

    private let pairs = Mutex<[Int: [TLSKeyPair]]>([:])

    /// Uses a pair for the handshakes on a port from now on.
    func use(_ pair: TLSKeyPair, onPort port: Int) {
        pairs.withLock { $0[port, default: []].append(pair) }
    }

    /// Forgets the pairs of a port, on which no server listens any more.
    func forget(port: Int) { pairs.withLock { $0[port] = nil } }

    fileprivate func pair(onPort port: Int) -> TLSKeyPair? { pairs.withLock { $0[port]?.last } }
}

/// Gives a handshake the key pair of its server; GnuTLS calls it.
func tlsRetrieveKeyPair(
    session: gnutls_session_t?, names: UnsafePointer<gnutls_datum_t>?, nameCount: Int32,
    algorithms: UnsafePointer<gnutls_pk_algorithm_t>?, algorithmCount: Int32,
    chain: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?,
    count: UnsafeMutablePointer<UInt32>?, key: UnsafeMutablePointer<gnutls_privkey_t?>?
) -> Int32 {
    guard let session, let chain, let count, let key,
        let port = SocketAddress.localPort(of: gnutls_transport_get_int(session)),
        let pair = TLSKeyPairs.shared.pair(onPort: port)
    else { return GNUTLS_E_NO_CERTIFICATE_FOUND }
    pair.give(chain, count, key)
    return 0
}

/// The reason why the certificate of a connection's client is not accepted; `nil` if it is.
func tlsClientFault(_ session: UnsafeMutableRawPointer?) -> String? {
    guard let session else { return "the connection has no TLS" }
    var reasons: UInt32 = 0
    let status = cgnutls_verify_client(OpaquePointer(session), &reasons)
    guard status >= 0 else { return "it has none" }
    guard reasons != 0 else { return nil }
    var text = gnutls_datum_t()
    guard
        gnutls_certificate_verification_status_print(
            reasons, GNUTLS_CRT_X509, &text, 0) >= 0, let start = text.data
    else { return "it is not trusted" }
    defer { cgnutls_free(start) }
    return String(
        decoding: UnsafeBufferPointer(start: start, count: Int(text.size)), as: UTF8.self
    ).trimmingCharacters(in: .whitespacesAndNewlines)
}
