package measure_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/bench/measure"
)

func TestShareStartsOnce(t *testing.T) {
	var shared measure.Shared
	var ended []string
	start := func(name string, err error) func() (string, func(), error) {
		return func() (string, func(), error) {
			return name, func() { ended = append(ended, name) }, err
		}
	}
	broken := errors.New("broken")
	_, err := measure.Share(&shared, "c", start("c", broken))
	require.ErrorIs(t, err, broken)

	for _, name := range []string{"first", "second"} {
		got, err := measure.Share(&shared, "a", start(name, nil))
		require.NoError(t, err)
		require.Equal(t, "first", got)
	}
	_, err = measure.Share(&shared, "b", start("b", nil))
	require.NoError(t, err)

	shared.Close()
	require.Equal(t, []string{"b", "first", "c"}, ended)
	got, err := measure.Share(&shared, "a", start("again", nil))
	require.NoError(t, err)
	require.Equal(t, "again", got)
}
