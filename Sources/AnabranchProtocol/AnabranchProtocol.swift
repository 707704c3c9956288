// The room AnabranchProtocol.
