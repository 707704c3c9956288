// The room AnabranchSync.
