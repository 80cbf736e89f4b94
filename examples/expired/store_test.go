package expired

import (
	"testing"
	"testing/synctest"

	"example.com/rawwatch/stream/replay"
)

// The same against a live server, which answers any client: it does not matter
// in which requests a controller asks.
func TestMyControllerSurvivesA410OfALiveServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &replay.Store{}
		store.PutItem("a", "1")
		srv := store.NewServer(t, replay.Options{})
		knows := make(chan string)
		go func() {
			got, err := myController(srv.Context(), srv.Client(), srv.URL())
			if err != nil {
				t.Error(err)
			}
			knows <- got
		}()
		synctest.Wait() // it has listed, and watches
		store.EndWatches(replay.Cut())
		synctest.Wait() // its watch is gone, and it has not asked again
		store.Delete("configmaps", "t", "a")
		store.PutItem("b", "1")
		store.Compact() // a watch from before gets 410
		if got := <-knows; got != "b" {
			t.Errorf("it believes that %q exists", got)
		}
	})
}
