import AnabranchModel
import AnabranchReplication
import Foundation

/// A natural number of any size.
struct NaiveNatural {
    /// The digits to the base 2^32, the least significant one first, without leading zeros.
    private(set) var limbs: [UInt32] = []

    init(_ number: UInt128) {
        var rest = number
        while rest > 0 {
            limbs.append(UInt32(truncatingIfNeeded: rest))
            rest >>= 32
        }
    }

    mutating func multiply(by factor: UInt64, times: Int) {
        for _ in 0..<Swift.max(times, 0) {
            var carry: UInt64 = 0
            for index in limbs.indices {
                let product = UInt64(limbs[index]) * factor + carry
                limbs[index] = UInt32(truncatingIfNeeded: product)
                carry = product >> 32
            }
            if carry > 0 { limbs.append(UInt32(carry)) }
        }
    }

    /// Returns -1, 0 or 1.
    func order(_ other: NaiveNatural) -> Int {
        if limbs.count != other.limbs.count { return limbs.count < other.limbs.count ? -1 : 1 }
        for index in limbs.indices.reversed() where limbs[index] != other.limbs[index] {
            return limbs[index] < other.limbs[index] ? -1 : 1
        }
        return 0
    }
}

/// A finite number: sign × magnitude × 2^two × 10^ten.
struct NaiveExact {
    var sign: Int
    var magnitude: UInt128
    var two = 0
    var ten = 0

    init(_ number: NaiveNumber) throws {
        switch number {
        case .integer(let integer):
            sign = Int(integer.signum())
            magnitude = UInt128(integer.magnitude)
        case .double(let double):
            sign = double == 0 ? 0 : double < 0 ? -1 : 1
            magnitude = 0
            guard double != 0 else { return }
            // The significand of 53 bits as an integer: 2^52 is 4503599627370496.
            magnitude = UInt128(UInt64(double.magnitude.significand * 4_503_599_627_370_496))
            two = Int(double.exponent) - 52
        case .decimal(let decimal):
            guard let exact = ExactDecimal(decimal) else { throw NaiveDoubt() }
            magnitude = exact.digits
            sign = exact.digits == 0 ? 0 : exact.isNegative ? -1 : 1
            ten = Int(exact.exponent)
        }
    }

    func order(_ other: NaiveExact) -> Int {
        if sign != other.sign { return sign < other.sign ? -1 : 1 }
        if sign == 0 { return 0 }
        var left = NaiveNatural(magnitude)
        var right = NaiveNatural(other.magnitude)
        left.multiply(by: 2, times: two - other.two)
        right.multiply(by: 2, times: other.two - two)
        left.multiply(by: 10, times: ten - other.ten)
        right.multiply(by: 10, times: other.ten - ten)
        return left.order(right) * sign
    }
}

extension NaiveNumber {
    func asDouble() throws -> Double {
        switch self {
        case .integer(let integer): return Double(integer)
        case .double(let double): return double
        case .decimal(let decimal):
            guard let exact = ExactDecimal(decimal), let double = Double(exact.description)
            else { throw NaiveDoubt() }
            return double
        }
    }

    var isDouble: Bool {
        if case .double = self { true } else { false }
    }

    var isDecimal: Bool {
        if case .decimal = self { true } else { false }
    }

    /// Returns -1, 0 or 1; NaN is the greatest number.
    func order(_ other: NaiveNumber) throws -> Int {
        let (left, right) = (try asDouble(), try other.asDouble())
        if left.isNaN || right.isNaN { return (left.isNaN ? 1 : 0) - (right.isNaN ? 1 : 0) }
        if left.isInfinite || right.isInfinite || (isDouble && other.isDouble) {
            return left < right ? -1 : left > right ? 1 : 0
        }
        // A decimal compares with the decimal that a double reads as, if there is one.
        if isDecimal != other.isDecimal, shortest.isDouble || other.shortest.isDouble {
            throw NaiveDoubt()
        }
        return try NaiveExact(other.isDecimal ? shortest : self)
            .order(NaiveExact(isDecimal ? other.shortest : other))
    }

    /// The decimal that the description of a double reads as; other numbers are unchanged.
    var shortest: NaiveNumber {
        guard case .double(let double) = self, let exact = ExactDecimal(double.description)
        else { return self }
        return .decimal(exact.decimal)
    }

    /// Returns this number, a constant, as it compares with a value.
    func fitted(to other: NaiveNumber, isFloat: Bool) throws -> NaiveNumber {
        if isFloat { return .double(Double(Float(try asDouble()))) }
        return other.isDecimal ? shortest : self
    }
}
