import CAllocator

/// How the C library keeps memory that was freed.
enum ProcessMemory {
    /// The size in bytes from which on an allocation is a mapping of its own.
    private static let leastMapping: Int32 = 1 << 20

    /// Gives the memory of each large buffer back to the system as soon as it is freed.
    ///
    /// Otherwise glibc raises the size with those that it sees, and keeps large freed buffers for
    /// each thread.
    static func returnLargeBuffers() { callocator_set_least_mapping(leastMapping) }

    /// Gives the memory of small buffers that were freed back to the system.
    ///
    /// Otherwise glibc keeps it for each thread until the end of the process.
    static let giveBack: @Sendable () -> Void = { callocator_give_back() }
}
