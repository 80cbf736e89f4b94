package pods_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"example.com/rawwatch/test/bench/pods"
)

func TestPods(t *testing.T) {
	const recording = "../../" + pods.Recording
	for _, lean := range []bool{false, true} {
		set, err := pods.Load(recording, lean)
		require.NoError(t, err)
		uids := map[string]bool{}
		for _, n := range []int{0, 1, 299, 300, 99_999} {
			stored, err := set.Pod("b", n, 7)
			require.NoError(t, err)
			var pod corev1.Pod
			require.NoError(t, json.Unmarshal(stored, &pod))
			require.Equal(t, "b", pod.Namespace)
			require.Equal(t, pods.Name(n), pod.Name)
			require.Equal(t, int64(7), pod.Generation)
			require.Empty(t, pod.ResourceVersion)
			require.NotEmpty(t, pod.Labels)
			require.Len(t, pod.UID, 36)
			uids[string(pod.UID)] = true
			if lean {
				require.Empty(t, pod.ManagedFields)
				require.Len(t, pod.Spec.Containers, 1)
				require.Less(t, len(stored), 2500)
			} else {
				require.Len(t, pod.ManagedFields, 2)
				require.NotEmpty(t, pod.Status.Phase)
				require.Greater(t, len(stored), 7500)
			}
		}
		require.Len(t, uids, 5)
	}
	_, err := pods.Load("no such file", false)
	require.Error(t, err)
}
