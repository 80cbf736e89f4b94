package expired

import (
	"testing"
	"testing/synctest"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

func TestMyProgramSurvivesA410(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time is virtual: no wait costs anything
		srv := replay.NewServer(t, replay.Script{
			replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10", replay.Item("a", "9")))...),
			replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Write(replay.ErrorEvent(410, "Expired"))),
			replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("20", replay.Item("b", "15")))...),
		}, replay.Options{})
		w := &stream.Watcher{Client: srv.Client(), Server: srv.URL(), Target: stream.Target{Version: "v1", Resource: "configmaps", Namespace: "t"}}
		// Yours goes here. The server's context ends it when it asks for
		// something else than the script says.
		if got, err := myProgram(srv.Context(), w); err != nil || got != "b" {
			t.Errorf("it believes that %q exists, error %v", got, err)
		}
	})
}
