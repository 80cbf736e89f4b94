//go:build !race

package stream_test

const chaosRuns = 10_000
