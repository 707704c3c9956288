import CSodium
import Foundation

/// The text format of a key ring's file.
///
/// The first line identifies the format, and each further line is a key, oldest first. A key is its
/// ID in 32 hexadecimal digits, its creation time as `2026-11-22T21:05:00Z`, and its 32 bytes in 64
/// hexadecimal digits. The digits are lower-case, and one space separates the three fields.
/// `Documentation/FileFormat.md` describes every byte.
enum KeyRingText {
    private static let beginning = Array("Anabranch key ring, version ".utf8)
    private static let heading = Array(
        """
        Anabranch key ring, version 1. Secret: whoever has this file reads what is sealed with \
        its keys.

        """.utf8)

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")
    private static let idRange = 0..<32
    private static let dateRange = 33..<53
    private static let secretRange = 54..<118
    private static let lineBytes = 118

    static let largestFile = heading.count + BundleKeyRing.maximumKeys * (lineBytes + 1)

    // MARK: - Writing

    static func text(of ring: BundleKeyRing) -> SecretBytes {
        let count = heading.count + ring.all.count * (lineBytes + 1)
        return SecretBytes(count: count) { out in
            out.update(from: heading, count: heading.count)
            for (number, key) in ring.all.enumerated() {
                write(key, to: out + heading.count + number * (lineBytes + 1))
            }
        }
    }

    private static func write(_ key: BundleKey, to line: UnsafeMutablePointer<UInt8>) {
        let told = Array("\(key.id) \(text(ofSeconds: key.seconds)) ".utf8)
        precondition(told.count == secretRange.lowerBound, "a date has twenty characters")
        line.update(from: told, count: told.count)
        // The function ends its output with a zero byte, which the newline then replaces.
        let room = secretRange.count + 1
        (line + secretRange.lowerBound).withMemoryRebound(to: CChar.self, capacity: room) { out in
            key.secret.withUnsafeBytes { secret in
                _ = sodium_bin2hex(out, room, secret, key.secret.count)
            }
        }
        line[lineBytes] = newline
    }

    private static func text(ofSeconds seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    // MARK: - Reading

    /// Parses a key ring.
    ///
    /// - Parameter path: The file's path, for messages.
    static func ring(
        in text: UnsafeBufferPointer<UInt8>, path: String
    ) throws(KeyRingError) -> BundleKeyRing {
        try checkHeading(text, path)
        var keys: [BundleKey] = []
        var ids: Set<BundleKeyID> = []
        var start = heading.count
        while start < text.count {
            let place = Place(path: path, line: keys.count + 2)
            guard keys.count < BundleKeyRing.maximumKeys else {
                throw place.malformed("exceeds the number of keys that a ring may have")
            }
            let end = text[start...].firstIndex(of: newline) ?? text.count
            guard end < text.count else { throw place.malformed("has no line end") }
            let key = try key(in: UnsafeBufferPointer(rebasing: text[start..<end]), at: place)
            guard ids.insert(key.id).inserted else {
                throw place.malformed("repeats an earlier key")
            }
            if let last = keys.last, !BundleKey.isBefore(last, key) {
                throw place.malformed("is out of order")
            }
            keys.append(key)
            start = end + 1
        }
        guard !keys.isEmpty else {
            throw Place(path: path, line: 2).malformed("is missing, so there is no key")
        }
        return BundleKeyRing(keys)
    }

    private static func checkHeading(
        _ text: UnsafeBufferPointer<UInt8>, _ path: String
    ) throws(KeyRingError) {
        guard !text.prefix(heading.count).elementsEqual(heading) else { return }
        let rest = text.dropFirst(beginning.count)
        let digits = rest.prefix(10).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if text.prefix(beginning.count).elementsEqual(beginning),
            let version = Int(String(decoding: digits, as: UTF8.self)), version > 1,
            rest.dropFirst(digits.count).first == UInt8(ascii: ".")
        {
            throw KeyRingError(
                .newerFormat,
                "Can't read the key ring \(path) because version \(version) of key rings is "
                    + "unknown to this program. Update the program.", path: path, line: 1)
        }
        throw Place(path: path, line: 1).malformed("is not the first line of a key ring")
    }

    private static func key(
        in line: UnsafeBufferPointer<UInt8>, at place: Place
    ) throws(KeyRingError) -> BundleKey {
        guard line.count == lineBytes, line[idRange.upperBound] == space,
            line[dateRange.upperBound] == space
        else { throw place.malformed("is not an ID, a date and a key") }
        guard let id = BundleKeyID(hexadecimal: line[idRange]) else {
            throw place.malformed("does not begin with an ID of 32 digits")
        }
        guard let seconds = seconds(in: line[dateRange]) else {
            throw place.malformed("has no date in the form 2026-11-22T21:05:00Z")
        }
        guard let secret = secret(in: line[secretRange]) else {
            throw place.malformed("has no key of 64 lower-case hexadecimal digits")
        }
        let key = BundleKey(secret: secret, seconds: seconds)
        guard key.id == id else {
            throw place.malformed("has a key that does not match its ID \(id)")
        }
        return key
    }

    /// Parses a date.
    ///
    /// - Returns: `nil` if the text is not in the format of the file's dates.
    private static func seconds(in text: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
        let text = String(decoding: text, as: UTF8.self)
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        let seconds = Int64(date.timeIntervalSince1970)
        guard (0...BundleKey.greatestSeconds).contains(seconds),
            Self.text(ofSeconds: seconds) == text
        else { return nil }
        return seconds
    }

    private static func secret(in digits: Slice<UnsafeBufferPointer<UInt8>>) -> SecretBytes? {
        // Each key has exactly one text, so any changed byte is detected.
        guard digits.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }) else {
            return nil
        }
        var isWhole = false
        let secret = SecretBytes(count: BundleKey.byteCount) { out in
            UnsafeBufferPointer(rebasing: digits).withMemoryRebound(to: CChar.self) { digits in
                var count = 0
                let status = sodium_hex2bin(
                    out, BundleKey.byteCount, digits.baseAddress, digits.count, nil, &count, nil)
                isWhole = status == 0 && count == BundleKey.byteCount
            }
        }
        return isWhole ? secret : nil
    }
}

/// A line in a key ring's file.
private struct Place {
    let path: String
    let line: Int

    func malformed(_ cause: String) -> KeyRingError {
        KeyRingError(
            .malformed,
            "Can't read the key ring \(path) because line \(line) \(cause). Use an intact copy.",
            path: path, line: line)
    }
}
