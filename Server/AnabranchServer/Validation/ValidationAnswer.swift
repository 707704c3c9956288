import AnabranchReplication
import Foundation

/// The verdict of the operator's hook on one change set.
enum ValidationVerdict: Hashable, Sendable {
    case accepted
    case rejected(SaveRejection)
}

/// The JSON with which the hook answers: one result for each shown change set, in their order.
struct ValidationAnswer: Decodable {
    private struct Result: Decodable {
        let accept: Bool
        let code: String?
        let reason: String?
    }

    private let version: Int
    private let id: UInt64
    private let results: [Result]

    /// Decodes the verdicts of an answer.
    ///
    /// - Parameters:
    ///   - id: The number of the call. An answer of another call is a failure.
    ///   - count: The number of change sets that were shown.
    static func verdicts(
        in bytes: [UInt8], of id: UInt64, count: Int
    ) throws(ValidationFailure) -> [ValidationVerdict] {
        let answer: ValidationAnswer
        do {
            answer = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            let start = String(decoding: bytes.prefix(200), as: UTF8.self)
            throw ValidationFailure("its answer can't be read: \(start)")
        }
        guard answer.version == ValidationRequest.version else {
            throw ValidationFailure("its answer has version \(answer.version)")
        }
        guard answer.id == id else {
            throw ValidationFailure("it answered call \(answer.id) instead of call \(id)")
        }
        guard answer.results.count == count else {
            throw ValidationFailure(
                "its answer has \(answer.results.count) results for \(count) change sets")
        }
        var verdicts: [ValidationVerdict] = []
        for result in answer.results { verdicts.append(try verdict(of: result)) }
        return verdicts
    }

    private static func verdict(
        of result: Result
    ) throws(ValidationFailure) -> ValidationVerdict {
        guard !result.accept else { return .accepted }
        let reason = result.reason ?? ""
        return .rejected(
            SaveRejection(
                try rejectionCode(result.code),
                reason.isEmpty ? "A rule of the server's operator forbids the save." : reason))
    }

    /// The operator's codes that clients know. Any other code follows
    /// ``SaveRejection/Code/validationFailed`` and a slash, so it is no code of the zone itself.
    private static let known: [SaveRejection.Code] = [
        .validationFailed, .notAllowed, .quotaExceeded,
    ]

    private static func rejectionCode(
        _ text: String?
    ) throws(ValidationFailure) -> SaveRejection.Code {
        guard let text else { return .validationFailed }
        if let code = known.first(where: { $0.rawValue == text }) { return code }
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(isOfCode) else {
            throw ValidationFailure(
                "its code is not 1 to 64 of a-z, 0-9 and \"-\": \(text.prefix(100))")
        }
        return SaveRejection.Code(
            rawValue: "\(SaveRejection.Code.validationFailed.rawValue)/\(text)")
    }

    private static func isOfCode(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "-")
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
