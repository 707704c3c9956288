extension SyncOptions {
    /// The options with the files of certificates that a store keeps of the same server.
    func completed(by kept: SyncMetadata, for address: ServerAddress) -> SyncOptions {
        guard kept.server == address.base else { return self }
        var options = self
        options.certificateAuthorities = certificateAuthorities ?? kept.files.authorities
        options.clientCertificate = clientCertificate ?? kept.files.client
        return options
    }
}
