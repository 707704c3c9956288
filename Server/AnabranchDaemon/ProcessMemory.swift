import CAllocator
import Foundation

/// How the C library keeps memory that was freed.
enum ProcessMemory {
    /// The size in bytes from which on an allocation is a mapping of its own.
    private static let leastMapping: Int32 = 1 << 20

    /// Keeps little of what was freed: gives the memory of each large buffer back to the system at
    /// once, and lets threads share their heaps.
    ///
    /// Otherwise glibc raises the size of large buffers with those that it sees, and has eight
    /// heaps for each core.
    static func keepLittle() {
        callocator_set_least_mapping(leastMapping)
        callocator_set_most_heaps(Int32(2 * ProcessInfo.processInfo.activeProcessorCount))
    }

    /// Gives the memory of small buffers that were freed back to the system.
    ///
    /// Otherwise glibc keeps it for each thread until the end of the process.
    static let giveBack: @Sendable () -> Void = { callocator_give_back() }
}
