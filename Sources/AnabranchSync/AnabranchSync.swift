// The module AnabranchSync: the engine that exchanges a store's change sets with a zone of a
// server.
