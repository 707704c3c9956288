extension SyncOptions {
    /// The options with the certificate authorities that a store keeps of the same server.
    func completed(by kept: SyncMetadata, for address: ServerAddress) -> SyncOptions {
        guard certificateAuthorities == nil, kept.server == address.base else { return self }
        var options = self
        options.certificateAuthorities = kept.certificateAuthorities
        return options
    }
}
