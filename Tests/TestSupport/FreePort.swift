import Foundation

/// A port for a program that can't choose one itself.
package enum FreePort {
    /// Finds a port of 127.0.0.1 that is free now.
    ///
    /// - Throws: An error if there is none.
    package static func find() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard bind(descriptor, address, length) == 0,
                    getsockname(descriptor, address, &length) == 0
                else { return nil }
                return pointer.pointee.sin_port.bigEndian
            }
        }
        guard let port else { throw CocoaError(.fileNoSuchFile) }
        return Int(port)
    }
}
