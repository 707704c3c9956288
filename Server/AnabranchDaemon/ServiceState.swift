import AnabranchServer
import Foundation

/// A state of the service that is reported to a service manager, such as systemd.
///
/// The service manager takes reports on the socket that the environment variable `NOTIFY_SOCKET`
/// names.
///
/// Source: sd_notify(3).
enum ServiceState: String {
    /// The service accepts connections.
    case ready = "READY=1"
    /// The service has begun to stop.
    case stopping = "STOPPING=1"

    /// Reports the state; without a service manager it does nothing.
    ///
    /// - Throws: ``HTTPServerError`` if the report can't be sent.
    func report(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return }
        let error = Self.send(rawValue, to: path)
        guard error != 0 else { return }
        throw HTTPServerError(
            "Can't send \(rawValue) to the service manager at \(path) because of this error: "
                + "\(String(cString: strerror(error)))")
    }

    /// Sends one datagram to a socket in the file system, or in Linux's abstract namespace if the
    /// name begins with `@`.
    ///
    /// - Returns: The system's error; 0 if there is none.
    private static func send(_ text: String, to path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return ENAMETOOLONG
        }
        withUnsafeMutableBytes(of: &address) { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyBytes(from: name)
        }
        #if canImport(Glibc)
            let type = Int32(SOCK_DGRAM.rawValue)
        #else
            let type = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        let sent = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(
                    descriptor, bytes, bytes.count, 0, address, socklen_t(start + name.count))
            }
        }
        return sent == bytes.count ? 0 : errno
    }
}
