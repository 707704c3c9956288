import Synchronization

/// A device's clock: wrong by an amount that changes now and then.
final class ReplicaClock: Sendable {
    private let world: SimulatedWorld
    private let offset: Mutex<Int64>

    init(_ world: SimulatedWorld) {
        self.world = world
        offset = Mutex(Self.offset(world))
    }

    /// Slow by up to an hour, or ahead by up to what the world's traits say.
    private static func offset(_ world: SimulatedWorld) -> Int64 {
        Int64(
            world.oneIn(2)
                ? world.number(-3_600_000..<120_000) : world.number(0..<world.traits.clockLead))
    }

    func jump() { offset.withLock { $0 = Self.offset(world) } }

    var milliseconds: Int64 { world.milliseconds + offset.withLock { $0 } }
}
