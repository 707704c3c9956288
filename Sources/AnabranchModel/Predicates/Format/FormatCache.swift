import Foundation

/// The templates of the formats that were used last.
///
/// An app uses few formats many times, and reading one takes ten times as long as its arguments.
enum FormatCache {
    /// At least this many formats are kept, and at most twice as many.
    static let generationSize = 256
    /// A longer format, in bytes, is not kept.
    static let greatestLength = 2048

    private static let templates = Templates()

    /// - Returns: `nil` for a format that has no template.
    static func template(of format: String) -> FormatTemplate? {
        let key = FormatKey(text: format)
        if let known = templates.find(key) { return known.template }
        guard format.utf8.count <= greatestLength else { return nil }
        let template = FormatTemplate(format)
        templates.insert(Entry(template: template), for: key)
        return template
    }

    private struct Entry {
        let template: FormatTemplate?
    }

    private final class Templates: @unchecked Sendable {
        // The lock protects the generations.
        private var generations = Generations()
        private let lock = NSLock()

        func find(_ key: FormatKey) -> Entry? { lock.withLock { generations.find(key) } }

        func insert(_ entry: Entry, for key: FormatKey) {
            lock.withLock { generations.insert(entry, for: key) }
        }
    }

    /// The entries of the present generation, and those of the one before. What is used moves on to
    /// the present generation, and the rest goes when the next one begins.
    private struct Generations {
        var present: [FormatKey: Entry] = [:]
        var former: [FormatKey: Entry] = [:]

        mutating func find(_ key: FormatKey) -> Entry? {
            if let entry = present[key] { return entry }
            guard let entry = former[key] else { return nil }
            insert(entry, for: key)
            return entry
        }

        mutating func insert(_ entry: Entry, for key: FormatKey) {
            if present.count >= FormatCache.generationSize {
                former = present
                present = [:]
            }
            present[key] = entry
        }
    }
}

/// A format, compared by its bytes: `String` compares by canonical equivalence, but two formats may
/// differ in just that, within a literal.
private struct FormatKey: Hashable {
    let text: String

    static func == (left: FormatKey, right: FormatKey) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let start = left.baseAddress, let other = right.baseAddress else {
                    return true
                }
                return memcmp(start, other, left.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
