package import AnabranchStore

extension SessionLimits {
    /// The minimum version that a store knows of its zone, if it is above the app's version.
    package func requiredVersion(by state: SyncState) -> Int? {
        guard let version = appVersion, let minimum = state.minimumVersion, minimum > version
        else { return nil }
        return Int(clamping: minimum)
    }
}

extension Exchange {
    /// The reason why this version of the app may not sync with the zone; `nil` if it may.
    ///
    /// The store knows the minimum version as soon as a page with it is applied. From then on no
    /// request is sent, in this exchange and in every later one.
    var updateRequired: SyncError? {
        limits.requiredVersion(by: state).map { minimum in
            SyncError(
                .updateRequired,
                "Can't sync because the zone needs version \(minimum) of the app or a later one, "
                    + "and this is version \(limits.appVersion ?? 0). Update the app. What was "
                    + "saved stays in the store and is sent then.",
                details: ["minimumVersion": "\(minimum)"])
        }
    }
}
