// The room AnabranchModel.
