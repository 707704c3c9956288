// This target has no code. It depends on both programs, so that one build makes them:
// `swift build --target Programs`. SwiftPM builds one product at a time, and two builds after each
// other leave a core idle while modules wait for one another.
