package replay_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) != "" {
		benchServer()
		return
	}
	goleak.VerifyTestMain(m)
}
