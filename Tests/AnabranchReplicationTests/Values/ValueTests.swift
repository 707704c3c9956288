import AnabranchReplication
import Foundation
import TestSupport
import Testing

@Suite struct ValueTests {
    @Test func `a value reads as a person writes it`() {
        let values: [(PropertyValue, String)] = [
            (.null, "null"), (true, "true"), (99_999, "99999"), (5.5, "5.5"),
            (.decimal(ExactDecimal("-1.25")!), "-1.25"), ("text", "'text'"),
            (.uri("a:b"), "'a:b'"), (.date(0), "2001-01-01T00:00:00Z"),
            (.date(.infinity), "inf s after 2001-01-01T00:00:00Z"),
            (.date(1e300), "1e+300 s after 2001-01-01T00:00:00Z"),
            (.data(Data([1, 2])), "data of 2 bytes"),
        ]
        for (value, text) in values { #expect("\(value)" == text) }
        let long = PropertyValue.string(String(repeating: "a", count: 101))
        #expect("\(long)" == "'\(String(repeating: "a", count: 100))…'")
    }

    /// A context holds one value for each slot of each object, so a fourth word would be costly.
    @Test func `a value takes three words`() {
        #expect(MemoryLayout<PropertyValue>.stride <= 24)
        #expect(MemoryLayout<PropertyValue?>.stride <= 24)
    }

    @Test func `every NaN is one NaN, and minus zero is not zero`() {
        let quiet = PropertyValue.double(.nan)
        let odd = PropertyValue.double(Double(bitPattern: 0xFFF8_0000_0000_1234))
        #expect(quiet == odd)
        #expect(quiet == .double(.signalingNaN))
        #expect(Set([quiet, odd]).count == 1)
        #expect(PropertyValue.double(0) != .double(-0.0))
        #expect(PropertyValue.date(0) != .date(-0.0))
        #expect(PropertyValue.date(.nan) == .date(-.nan))
    }

    @Test func `strings are the same only where their bytes are`() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(composed == decomposed)
        #expect(PropertyValue.string(composed) != .string(decomposed))
        #expect(PropertyValue.uri(composed) != .uri(decomposed))
        #expect(Set([PropertyValue.string(composed), .string(decomposed)]).count == 2)
        #expect(encoded(.string(composed)) != encoded(.string(decomposed)))
    }

    @Test func `values of different types are never the same`() {
        let zeros: [PropertyValue] = [
            .null, .bool(false), .integer(0), .double(0), .decimal(.zero), .string(""), .date(0),
            .data(Data()), .uri(""), .unknown(tag: 17, bytes: []), .unknown(tag: 18, bytes: []),
        ]
        for (left, one) in zeros.enumerated() {
            for (right, other) in zeros.enumerated() { #expect((one == other) == (left == right)) }
        }
        #expect(Set(zeros).count == zeros.count)
    }

    @Test func `decimals are the same whatever zeros they were written with`() throws {
        let written = try ["1.5", "1.50", "15e-1", "0001.5"].map {
            PropertyValue.decimal(try #require(ExactDecimal($0)))
        }
        #expect(Set(written).count == 1)
    }

    /// Values are equal exactly if their bytes are equal: merging and hashing rely on that.
    @Test(arguments: TestLength.seeds(800))
    func `equality, hash and bytes agree`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let replicas = [generator.replica()]
        let types = (1...13).map { WireType(rawValue: $0) }
        let values = (0..<12).map { _ in
            generator.value(of: generator.element(of: types), replicas: replicas)
        }
        for one in values {
            for other in values {
                #expect((one == other) == (encoded(one) == encoded(other)))
                if one == other { #expect(one.hashValue == other.hashValue) }
            }
        }
    }

    @Test(arguments: TestLength.seeds(800))
    func `a tagged value is the same after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let replicas = [generator.replica()]
        for type in 0...14 as ClosedRange<UInt8> {
            let value = generator.value(of: WireType(rawValue: type), replicas: replicas)
            var reader = ByteReader(encoded(value))
            #expect(try reader.readTagged() == value)
            #expect(reader.isAtEnd)
        }
    }

    private func encoded(_ value: PropertyValue) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(tagged: value)
        return writer.bytes
    }
}
