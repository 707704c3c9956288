import CICU
package import Foundation

/// The order of texts that people expect, by the root collation of ICU.
///
/// It is the default of the Unicode Collation Algorithm with CLDR's adaptions, the same for every
/// user and in every process of a machine: letters of all scripts, with case and diacritical marks
/// as lesser differences. It depends on the version of ICU, so nothing that is stored depends on
/// it.
package struct LocaleOrder: @unchecked Sendable {
    // Concurrent searches may use one collator, because its settings never change.
    private let collator: OpaquePointer?

    private static let orders: [UInt8: LocaleOrder] = {
        let all: [ComparisonOptions] = [.caseInsensitive, .diacriticInsensitive, .numeric]
        let sets = (0..<(1 << all.count)).map { bits in
            ComparisonOptions(all.indices.filter { bits & 1 << $0 != 0 }.map { all[$0] })
        }
        return Dictionary(uniqueKeysWithValues: sets.map { ($0.rawValue, LocaleOrder($0)) })
    }()

    private init(_ options: ComparisonOptions) {
        var status: cicu_status = 0
        let order = cicu_order(
            ignores_case: options.contains(.caseInsensitive),
            ignores_diacritics: options.contains(.diacriticInsensitive),
            is_numeric: options.contains(.numeric))
        collator = cicu_collator_open(order, &status)
    }

    /// The sort key of a text: two texts are in the order of the bytes of their keys.
    ///
    /// - Parameter options: `c` and `d` leave lesser differences out; with `numeric`, digits are
    ///   ordered by their value as a number.
    package static func key(of text: String, _ options: ComparisonOptions) -> Data {
        let relevant = options.intersection([.caseInsensitive, .diacriticInsensitive, .numeric])
        guard let collator = orders[relevant.rawValue]?.collator else { return Data(text.utf8) }
        let units = Array(text.utf16)
        let count = Int32(clamping: units.count)
        let size = cicu_collator_key(collator, units, count, nil, 0)
        var key = Data(count: Int(size))
        _ = key.withUnsafeMutableBytes { bytes in
            cicu_collator_key(
                collator, units, count, bytes.bindMemory(to: UInt8.self).baseAddress, size)
        }
        return key
    }
}
