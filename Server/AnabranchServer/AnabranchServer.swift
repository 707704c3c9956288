// The room AnabranchServer.
