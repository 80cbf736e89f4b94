package e2e

import (
	"testing"

	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

func TestAPIServerIsRestartedInMidWatch(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t, cluster.Options{})
	namespace := c.Namespace(t)
	command := func(w *writer, flags ...string) *command {
		args := []string{w.in.Path(), "-o", "json", "--markers", "--backoff-min", "50ms", "--backoff-max", "1s"}
		return run(t, c.Server, c.Admin, nil, append(args, flags...)...)
	}
	loop := func(w *writer, name string, options ...option) *consumer {
		return consume(t, w.in.Resource+", "+name, newWatcher(t, c.Server, w.in, options...), nil, nil)
	}
	byCertificate := func(w *stream.Watcher) { w.Client = connect(t, c.Server, c.AdminByCertificate()) }
	byHTTP1 := func(w *stream.Watcher) {
		w.Client = load(t, kubeconfig.Options{Path: c.Kubeconfig(t, c.Admin, "")}, protocols["HTTP/1.1"]...)
	}

	maps := newWriter(t, c.Server, configMaps(namespace))
	pods := newWriter(t, c.Server, pods(namespace))
	widgets := newWriter(t, c.Server, widgets(c.CustomResource(t), namespace))
	watches := map[*writer][]observer{
		maps:    {loop(maps, "HTTP/2", byCertificate), loop(maps, "HTTP/1.1", byHTTP1), command(maps)},
		pods:    {loop(pods, "metadata only", view(stream.MetadataOnly)), loop(pods, "by stream", start(stream.StartStream))},
		widgets: {loop(widgets, "table", view(stream.Table)), loop(widgets, "object"), command(widgets, "--metadata-only")},
	}
	each := func(do func(*writer, []observer)) {
		for w, observers := range watches {
			do(w, observers)
		}
	}
	each(func(w *writer, o []observer) {
		awaitSynced(t, o...)
		w.churn(5)
		settle(t, w.ledger, o...)
	})

	for _, stop := range []func(testing.TB){c.Terminate, c.Kill} {
		each(func(w *writer, o []observer) { w.churn(8) }) // and nobody waits for it to be seen
		stop(t)
		c.Restart(t)
		each(func(w *writer, o []observer) {
			w.client.Served(t, w.in)
			w.churn(8)
		})
		each(func(w *writer, o []observer) { settle(t, w.ledger, o...) })
	}
	each(func(w *writer, o []observer) { verify(t, w.ledger, o...) })
}
