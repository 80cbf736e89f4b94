package cli

import (
	"net"
	"time"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/metrics"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
)

// metricsFlags are --metrics and what belongs to it.
type metricsFlags struct {
	addr  string
	stale duration
}

func (f *metricsFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.addr, "metrics", "", "serve /metrics and /healthz here: PORT (loopback) or HOST:PORT")
	// Longer than a quiet watch may take (twice --watch-timeout), and the
	// longest backoff after it.
	f.stale = duration(15 * time.Minute)
	cmd.Flags().Var(&f.stale, "stale-after", "how long the server may be silent before /healthz says so")
}

func (f *metricsFlags) check(given func(string) bool) error {
	if !given("metrics") {
		if given("stale-after") {
			return usagef("--stale-after goes with --metrics")
		}
		return nil
	}
	addr, err := metrics.Address(f.addr)
	if err != nil {
		return usagef("--metrics: %v", err)
	}
	f.addr = addr
	return nil
}

// serve serves the metrics of the sources until stop is called. exporter is nil
// if nobody asked for them.
func (f *metricsFlags) serve(sources []*source, tell *story.Story) (exporter *metrics.Exporter, stop func(), err error) {
	if f.addr == "" {
		return nil, func() {}, nil
	}
	var exported []*metrics.Source
	for _, s := range sources {
		exported = append(exported, &metrics.Source{Watcher: s.watcher, Target: s.target})
	}
	exporter = metrics.New(time.Duration(f.stale), exported...)
	server, err := metrics.Serve(f.addr, exporter)
	if err != nil {
		return nil, nil, usagef("--metrics: %v", err)
	}
	tell.Say("metrics are at http://%s/metrics, health is at /healthz", server.Addr)
	if host, _, _ := net.SplitHostPort(server.Addr); !net.ParseIP(host).IsLoopback() {
		tell.Say("warning: anyone who can reach %s can read them", server.Addr)
	}
	return exporter, server.Close, nil
}
