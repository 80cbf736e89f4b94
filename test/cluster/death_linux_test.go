package cluster

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestServersDieWithATestProcessThatPanicsOrIsKilled(t *testing.T) {
	for _, how := range []string{"panic", "be killed"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			parent := exec.CommandContext(ctx, os.Args[0])
			parent.Env = append(os.Environ(), parentVariable+"="+how, "TMPDIR="+t.TempDir())
			out, err := parent.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, parent.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			child, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err)

			if how == "be killed" {
				require.True(t, alive(child))
				require.NoError(t, parent.Process.Kill())
			}
			require.Error(t, parent.Wait())
			Wait(t, 10*time.Second, "the child to be gone", func() bool { return !alive(child) })
		})
	}
}

// alive: a process that nobody has waited for yet is dead all the same.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
