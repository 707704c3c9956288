import Foundation

/// Functions of the C library.
enum Power {
    static func of(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

    /// A time of an event that happens at random, with a mean.
    static func wait(mean: Double, _ random: inout some RandomNumberGenerator) -> Double {
        -mean * log(1 - Double.random(in: 0..<1, using: &random))
    }
}
