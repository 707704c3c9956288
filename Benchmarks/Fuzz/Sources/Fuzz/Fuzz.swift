import Foundation

/// Called by libFuzzer with every input. A trap is a finding; a thrown error is not.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.chosen.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// A decoder that must accept any bytes: it throws, or its result survives a round trip.
struct FuzzTarget: Sendable {
    let name: String
    let run: @Sendable ([UInt8]) -> Void

    static let all = [
        changeSet, payload, message, predicate, pattern, model, modelFile, compiledModel, zone,
        bundle,
    ]

    /// The target that the environment variable names.
    static let chosen: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["ANABRANCH_FUZZ_TARGET"] ?? ""
        guard let target = all.first(where: { $0.name == name }) else {
            let names = all.map(\.name).joined(separator: ", ")
            try? FileHandle.standardError.write(
                contentsOf: Data("Set ANABRANCH_FUZZ_TARGET to one of: \(names).\n".utf8))
            exit(64)
        }
        return target
    }()
}
