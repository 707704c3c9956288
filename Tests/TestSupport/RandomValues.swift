package import AnabranchReplication

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Random values of every form, with the frequent causes of mistakes: limits, NaN, both spellings
/// of é.
extension SeededGenerator {
    /// Returns a replica ID.
    package mutating func replica() -> ReplicaID { ReplicaID(high: next(), low: next()) }

    /// Returns a digest.
    package mutating func digest() -> Digest {
        Digest(bytes: bytes(count: Digest.byteCount)) ?? .zero
    }

    /// Returns random bytes.
    package mutating func bytes(count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Returns a number with a random length in bits, up to a bound.
    package mutating func number(upTo bound: UInt64) -> UInt64 {
        oneIn(8) ? bound : min(next() >> UInt64.random(in: 0..<64, using: &self), bound)
    }

    /// Returns a sequence number.
    package mutating func sequence() -> UInt64 {
        max(1, number(upTo: Limits.greatestSequence))
    }

    /// Returns a dot of a random replica.
    package mutating func dot() -> Dot { Dot(replica: replica(), sequence: sequence()) }

    /// Returns the ID of a record of one of the replicas.
    package mutating func record(of replicas: [ReplicaID]) -> RecordID {
        RecordID(
            replica: element(of: replicas),
            number: max(1, number(upTo: Limits.greatestRecordNumber)))
    }

    /// Returns a timestamp.
    package mutating func timestamp() -> HybridTimestamp {
        HybridTimestamp(rawValue: number(upTo: Limits.greatestTimestamp))
    }

    /// Returns a stamp of one of the replicas.
    package mutating func stamp(of replicas: [ReplicaID]) -> Stamp {
        Stamp(timestamp: timestamp(), replica: element(of: replicas))
    }

    /// Returns a random element of an array that is not empty.
    package mutating func element<Element>(of array: [Element]) -> Element {
        array[Int.random(in: 0..<array.count, using: &self)]
    }

    /// Returns a text.
    package mutating func text() -> String {
        let pieces = ["a", "Zürich", "e\u{301}", "\u{E9}", "東京", "👩‍👩‍👧", "\0", "\u{FFFD}", " ", ""]
        return (0..<Int.random(in: 0...4, using: &self)).map { _ in element(of: pieces) }.joined()
    }

    /// Returns a floating-point number, often a special one.
    package mutating func double() -> Double {
        let edges = [
            0, -0.0, .nan, .signalingNaN, .infinity, -.infinity, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, 0.1, 1,
        ]
        return oneIn(2) ? element(of: edges) : Double(bitPattern: next())
    }

    /// Returns a decimal number.
    package mutating func decimal() -> ExactDecimal {
        while true {
            let digits = UInt128(next()) << 64 | UInt128(next())
            let shift = UInt128.random(in: 0..<128, using: &self)
            let decimal = ExactDecimal(
                digits: digits >> shift, exponent: Int.random(in: -140...170, using: &self),
                isNegative: oneIn(2))
            if let decimal { return decimal }
        }
    }

    /// Returns an integer, often a limit.
    package mutating func integer() -> Int64 {
        let edges: [Int64] = [0, 1, -1, 63, 64, -64, -65, .min, .max]
        return oneIn(3)
            ? element(of: edges)
            : Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self)
    }

    /// Returns a value of the type, and sometimes null.
    package mutating func value(of type: WireType, replicas: [ReplicaID]) -> PropertyValue {
        if oneIn(6) { return .null }
        if oneIn(12) { return .unknown(tag: laterTag(), bytes: bytes(count: 3)) }
        return ordinaryValue(of: type, replicas: replicas)
    }

    /// Returns a value that a property may have under its merge rule, and sometimes null.
    package mutating func value(of property: WireProperty, replicas: [ReplicaID]) -> PropertyValue {
        guard property.isMergeable else { return value(of: property.type, replicas: replicas) }
        switch property.rule {
        case .counter: return oneIn(6) ? .null : delta(of: property.type)
        case .max, .min:
            if oneIn(6) { return .null }
            // Few values are used, so that equal ones meet.
            return oneIn(2) ? value(few: property.type) : ordinaryValue(of: property.type)
        default: return value(of: property.type, replicas: replicas)
        }
    }

    /// Returns a delta for a counter.
    package mutating func delta(of type: WireType) -> PropertyValue {
        guard type == .decimal else { return .integer(integer()) }
        let half = UInt128(5) * 10_000_000_000_000_000_000 * 1_000_000_000_000_000_000
        let digits = (UInt128(next()) << 64 | UInt128(next())) % half
        let shift = UInt128.random(in: 0..<128, using: &self)
        let units = oneIn(8) ? half - 1 : digits >> shift
        return ExactDecimal(digits: units, exponent: -18, isNegative: oneIn(2))
            .map { .decimal($0) } ?? .null
    }

    private mutating func value(few type: WireType) -> PropertyValue {
        switch type {
        case .double, .float, .date:
            let number = element(of: [0, -0.0, .nan, 1, -.infinity])
            return type == .date ? .date(number) : .double(number)
        case .decimal: return .decimal(ExactDecimal(Int64.random(in: -1...1, using: &self)))
        case .string: return .string(element(of: ["", "a", "e\u{301}", "\u{E9}"]))
        case .bool: return .bool(oneIn(2))
        default: return .integer(Int64.random(in: -1...1, using: &self))
        }
    }

    /// Returns the tag of a value of a later format.
    private mutating func laterTag() -> UInt8 { UInt8.random(in: 17...255, using: &self) }

    /// Returns the value of an attribute group.
    package mutating func group(replicas: [ReplicaID]) -> GroupValue {
        let members = (0..<Int.random(in: 0...4, using: &self)).map { _ in
            let type = WireType(rawValue: element(of: Array(1...13) + [40]))
            return GroupValue.Member(
                name: WireName(element(of: ["city", "street", "zip", "e\u{301}", text()])),
                type: type, value: value(of: type, replicas: replicas))
        }
        return GroupValue(members) ?? .empty
    }

    private mutating func ordinaryValue(of type: WireType, replicas: [ReplicaID] = [])
        -> PropertyValue
    {
        switch type {
        case .bool: return .bool(oneIn(2))
        case .integer16: return .integer(Int64(Int16(truncatingIfNeeded: next())))
        case .integer32: return .integer(Int64(Int32(truncatingIfNeeded: next())))
        case .integer64: return .integer(integer())
        case .float, .double: return .double(double())
        case .decimal: return .decimal(decimal())
        case .string: return .string(text())
        case .date: return .date(double())
        case .data: return .data(Data(bytes(count: Int.random(in: 0...20, using: &self))))
        case .uuid: return .uuid(uuid())
        case .uri: return .uri("https://example.org/" + text())
        case .reference: return .reference(record(of: replicas))
        case .group: return .group(group(replicas: replicas))
        default: return .unknown(tag: 200, bytes: bytes(count: 5))
        }
    }

    /// Returns a UUID.
    package mutating func uuid() -> UUID {
        let bytes = bytes(count: 16)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
