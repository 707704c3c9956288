import Foundation

/// The values of attributes that Core Data may keep in files of their own.
///
/// The first byte of the column says where the value is: after 1 the value follows, after 2 the
/// name of a file in a hidden folder beside the store.
struct ExternalValues: Sendable {
    private let folder: URL

    /// A value that is not there as it should be.
    struct Problem: Error {
        let found: String
        /// The bytes that are kept; `nil` if there are none.
        let kept: Data?
    }

    init(folder: URL) { self.folder = folder }

    func value(of bytes: [UInt8]) -> Result<Data, Problem> {
        switch bytes.first {
        case 1: .success(Data(bytes.dropFirst()))
        case 2: contents(ofFileNamed: bytes.dropFirst())
        case nil: .failure(Problem(found: "no bytes, not even the mark of its form", kept: nil))
        case let mark?:
            .failure(
                Problem(
                    found: "\(bytes.count) bytes with the unknown mark \(mark)", kept: Data(bytes)))
        }
    }

    private func contents(ofFileNamed bytes: ArraySlice<UInt8>) -> Result<Data, Problem> {
        let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        // A name is a UUID. Any other could lead out of the folder.
        guard UUID(uuidString: name) != nil else {
            return .failure(Problem(found: "a name of a file that is no UUID", kept: nil))
        }
        guard let data = try? Data(contentsOf: folder.appending(path: name)) else {
            return .failure(Problem(found: "no file \(name) with the value", kept: nil))
        }
        return .success(data)
    }
}
