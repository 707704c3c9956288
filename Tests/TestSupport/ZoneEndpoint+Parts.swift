import AnabranchProtocol
package import AnabranchReplication
import AnabranchServer

/// Parts of the saves of a zone's log, fetched as a client fetches them.
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
