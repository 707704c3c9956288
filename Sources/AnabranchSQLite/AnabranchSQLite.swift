// The room AnabranchSQLite.
