// The module AnabranchReplication: identities, clocks, change sets, their codec and the merge
// rules.
// It is pure: no input or output, no wall clock, no randomness.
