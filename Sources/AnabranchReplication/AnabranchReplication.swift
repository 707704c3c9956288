// The room AnabranchReplication.
