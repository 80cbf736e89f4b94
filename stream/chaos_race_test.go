//go:build race

package stream_test

// The race detector makes a run five times as long.
const chaosRuns = 2_000
