import AnabranchSQLite
import Foundation

/// Overwrites the end of an index's first page, as a failing disk does.
///
/// No connection may have the file open.
package func spoilIndex(_ name: String, ofFileAt path: String) throws {
    let connection = try Connection(path: path)
    let size = try connection.firstValue("PRAGMA page_size")
    let page = try connection.firstValue(
        "SELECT rootpage FROM sqlite_schema WHERE name = ?", .text(name))
    try connection.checkpoint(.truncate)
    connection.close()
    guard case .integer(let size)? = size, case .integer(let page)? = page else {
        throw MissingIndex(name: name)
    }
    let file = try FileHandle(forUpdating: URL(filePath: path))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(size * page - 24))
    try file.write(contentsOf: Data(repeating: 0x55, count: 24))
}

private struct MissingIndex: Error { let name: String }
