import AnabranchProtocol
package import AnabranchReplication
import AnabranchServer

/// Reads the parts of a zone's saves as a client does.
extension ZoneEndpoint: PartReading {
    package func bytes(of part: SavePart) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < part.byteCount {
            bytes += try service.part(
                PartRequest(part: part, start: UInt64(bytes.count), byteLimit: 1 << 20)
            ).bytes
        }
        return bytes
    }
}
