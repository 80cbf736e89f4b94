package expired

import (
	"testing"
	"testing/synctest"

	"example.com/rawwatch/stream/replay"
)

func TestMyControllerSurvivesA410(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time is virtual: no wait costs anything
		srv := replay.NewServer(t, replay.Script{
			replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10", replay.Item("a", "9")))...),
			replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Write(replay.ErrorEvent(410, "Expired"))),
			replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("20", replay.Item("b", "15")))...),
		}, replay.Options{})
		// Yours goes here. A request that the script does not expect fails the
		// test, and ends the context.
		if got, err := myController(srv.Context(), srv.Client(), srv.URL()); err != nil || got != "b" {
			t.Errorf("it believes that %q exists, error %v", got, err)
		}
	})
}
