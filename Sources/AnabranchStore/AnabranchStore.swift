// The room AnabranchStore.
