import Synchronization

/// The paths that were read from key paths lately.
///
/// Swift makes one object of a key path literal for the whole life of the program. So the object's
/// address finds its path, and a request that is made anew reads no key path. A key path that is
/// made anew each time, as a literal in a generic function is, has another address and is read
/// again.
enum KnownPropertyPaths {
    /// The path of a key path. While this value exists, no other key path has the same address.
    private struct Known: @unchecked Sendable {
        // A key path is immutable, and only its address is used.
        let keyPath: AnyKeyPath
        let type: ManagedObject.Type
        let path: PropertyPath
    }

    private static let greatestCount = 256
    /// The newest path of each of these places.
    private static let places = Mutex([Known?](repeating: nil, count: greatestCount))

    /// - Returns: `nil` if the path is not known, or known of another class only.
    static func path(of keyPath: AnyKeyPath, _ type: ManagedObject.Type) -> PropertyPath? {
        let place = place(of: keyPath)
        return places.withLock { places in
            guard let known = places[place], known.keyPath === keyPath, known.type == type else {
                return nil
            }
            return known.path
        }
    }

    /// Keeps a path in place of an earlier one.
    static func keep(_ path: PropertyPath, of keyPath: AnyKeyPath, _ type: ManagedObject.Type) {
        let known = Known(keyPath: keyPath, type: type, path: path)
        let place = place(of: keyPath)
        let former = places.withLock { places in
            let former = places[place]
            places[place] = known
            return former
        }
        // The deinit of what a key path has captured may run code of the app.
        withExtendedLifetime(former) {}
    }

    /// The upper bits of a product, because the lowest bits of all addresses are equal.
    private static func place(of keyPath: AnyKeyPath) -> Int {
        let address = UInt64(UInt(bitPattern: ObjectIdentifier(keyPath)))
        return Int((address &* 0x9E37_79B9_7F4A_7C15) >> 56)
    }
}
