import Anabranch
import Foundation

/// Stores a colour as the digits that style sheets use: `ff8000`.
private struct ColorTransformer: AttributeTransformer {
    func data(from color: Color) throws -> Data {
        let parts = [color.red, color.green, color.blue]
        // An error thrown here leaves the property unchanged, and the next save throws it.
        guard parts.allSatisfy((0...1).contains) else { throw CocoaError(.coderInvalidValue) }
        let digits = parts.map { String(format: "%02x", Int(($0 * 255).rounded())) }
        return Data(digits.joined().utf8)
    }

    func value(from data: Data) throws -> Color {
        guard let number = UInt32(String(decoding: data, as: UTF8.self), radix: 16) else {
            throw CocoaError(.coderReadCorrupt)
        }
        func part(_ shift: UInt32) -> Double { Double(number >> shift & 255) / 255 }
        return Color(red: part(16), green: part(8), blue: part(0))
    }
}

extension Cookbook {
    /// Stores a property of an own type as the bytes that a transformer returns.
    @MainActor
    static func transformableColour() async throws {
        AttributeTransformers.register(ColorTransformer(), forName: "ColorTransformer")
        let container = try container()
        try await container.performBackgroundTask { context in
            let laptop = try context.insert(Laptop.self)
            laptop.name = "Zephyr"
            laptop.color = Color(red: 1, green: 0, blue: 1)
            try context.save()
        }

        let laptops = try container.viewContext.fetch(FetchRequest<Laptop>())
        for laptop in laptops {
            print(laptop.name ?? "", "is", laptop.color.map { "\($0)" } ?? "without a colour")
            let bytes: Data? = try laptop.value(forKey: "color")
            print("stored as", String(decoding: bytes ?? Data(), as: UTF8.self))
        }
    }
}
