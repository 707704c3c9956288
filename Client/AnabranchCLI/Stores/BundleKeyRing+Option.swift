import Anabranch
import Foundation

extension BundleKeyRing {
    /// The key ring of `--key-ring`; `nil` without the option.
    static func named(_ path: String?) throws -> BundleKeyRing? {
        try path.map { try BundleKeyRing(contentsOf: URL(fileURLWithPath: $0)) }
    }
}

extension OptionSpecification {
    static func keyRing(_ summary: String) -> OptionSpecification {
        OptionSpecification("key-ring", "FILE", summary)
    }
}
