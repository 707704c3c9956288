import Synchronization

/// The clock of a device, with an error that changes now and then.
final class ReplicaClock: Sendable {
    private let world: SimulatedWorld
    private let offset: Mutex<Int64>

    init(_ world: SimulatedWorld) {
        self.world = world
        offset = Mutex(Self.offset(world))
    }

    /// Returns an error: up to an hour behind, or ahead by up to the world's `clockLead`.
    private static func offset(_ world: SimulatedWorld) -> Int64 {
        Int64(
            world.oneIn(2)
                ? world.number(-3_600_000..<120_000) : world.number(0..<world.traits.clockLead))
    }

    func jump() { offset.withLock { $0 = Self.offset(world) } }

    var milliseconds: Int64 { world.milliseconds + offset.withLock { $0 } }
}
