package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/cluster"
)

// What people know from kubectl has to be the same here: the columns and the
// cells, the bytes, and the spellings of types. kubectl itself says what they
// are.

// deployments of a namespace, which no controller looks at.
func deployments(namespace string) kind {
	labels := cluster.Manifest{"app": "web"}
	return kind{
		in: cluster.Collection{Group: "apps", Version: "v1", Resource: "deployments", Namespace: namespace},
		object: func(name string) cluster.Manifest {
			template := cluster.Pod("")
			spec := cluster.Manifest{"containers": template["spec"].(cluster.Manifest)["containers"]}
			return cluster.Manifest{
				"apiVersion": "apps/v1", "kind": "Deployment",
				"metadata": cluster.Manifest{"name": name},
				"spec": cluster.Manifest{
					"selector": cluster.Manifest{"matchLabels": labels},
					"template": cluster.Manifest{"metadata": cluster.Manifest{"labels": labels}, "spec": spec},
				},
			}
		},
		patch: func(n int) cluster.Manifest { return cluster.Manifest{"spec": cluster.Manifest{"replicas": n}} },
	}
}

// happenings are Events: objects that say what happened to others.
func happenings(namespace string) kind {
	return kind{
		in: cluster.Collection{Version: "v1", Resource: "events", Namespace: namespace},
		object: func(name string) cluster.Manifest {
			now := time.Now().UTC().Format(time.RFC3339)
			return cluster.Manifest{
				"apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": "Pulled",
				"metadata":       cluster.Manifest{"name": name},
				"involvedObject": cluster.Manifest{"kind": "Pod", "name": "web-1", "namespace": namespace, "fieldPath": "spec.containers{main}"},
				"message":        "took 2 s, and 3 s",
				"source":         cluster.Manifest{"component": "kubelet", "host": "node-1"},
				"firstTimestamp": now, "lastTimestamp": now, "count": 1,
			}
		},
		patch: func(n int) cluster.Manifest { return cluster.Manifest{"count": n} },
	}
}

// kubectlKinds are types whose columns the server makes in different ways.
func kubectlKinds(t *testing.T, s *cluster.Server) (cluster.CustomResource, map[string]func(namespace string) kind) {
	definition := cluster.NewCustomResource()
	manifest := definition.Definition()
	manifest["spec"].(cluster.Manifest)["versions"] = definition.Edit()["spec"].(cluster.Manifest)["versions"]
	s.Define(t, definition, manifest)
	return definition, map[string]func(string) kind{
		"pods": pods, "deployments.apps": deployments, "events": happenings,
		"widgets." + definition.Group: func(namespace string) kind { return widgets(definition, namespace) },
	}
}

func TestRowsAreThoseOfKubectl(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	_, kinds := kubectlKinds(t, s)
	for name, of := range kinds {
		for _, flags := range [][]string{nil, {"-o", "wide"}, {"--show-labels"}, {"-A"}} {
			t.Run(name+" "+strings.Join(flags, " "), func(t *testing.T) {
				t.Parallel()
				w := newWriter(t, s, of(s.Namespace(t)))
				w.create("web-1", "web-2")
				args := append([]string{name, "-n", w.in.Namespace}, flags...)
				if slices.Contains(flags, "-A") {
					args = []string{name, "-A", "--field-selector", "metadata.namespace=" + w.in.Namespace}
				}
				theirs := kubectl(t, s, append([]string{"get", "-w"}, args...)...)
				ours := run(t, s, s.Admin, nil, args...)
				both := func(rows int) {
					for _, c := range []*command{theirs, ours} {
						cluster.Wait(t, patience, fmt.Sprint(rows, " rows of ", c.name), func() bool {
							if how, over := c.over(); over {
								t.Fatalf("%s ended: %s", c.name, how)
							}
							return len(c.lines()) >= 1+rows
						})
					}
				}
				both(2)
				w.edit("web-1")
				w.delete("web-2")
				w.create("a-much-longer-name-than-those-before")
				rows := 5
				if w.in.Resource == "pods" {
					rows++ // it is told that it is going, first
				}
				both(rows)
				assert.Equal(t, rowsOf(theirs.lines(), 0), rowsOf(ours.lines(), 1), "without EVENT")
			})
		}
	}
}

// rowsOf are the cells of a table, without the first columns of each row, and
// without ages: two commands cannot tell them at the same moment.
func rowsOf(lines []string, without int) (rows [][]string) {
	between := regexp.MustCompile(` {2,}`)
	var ages []int
	for _, line := range lines {
		cells := between.Split(strings.TrimRight(line, " "), -1)[without:]
		if rows == nil {
			for i, heading := range cells {
				if heading == "AGE" || heading == "LAST SEEN" || heading == "FIRST SEEN" {
					ages = append(ages, i)
				}
			}
		}
		for _, i := range ages {
			if i < len(cells) && regexp.MustCompile(`^\d+[smhd]`).MatchString(cells[i]) {
				cells[i] = "an age"
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

// kubectl starts it as an administrator. It ends with the test.
func kubectl(t *testing.T, s *cluster.Server, args ...string) *command {
	t.Helper()
	cmd := cluster.KubectlCommand(t.Context(), t, s.Kubeconfig(t, s.Admin, ""), args...)
	c := launch(t, exec.Command(cmd.Path, args...), cmd.Env, nil)
	t.Cleanup(func() { end(t, c) })
	return c
}

func TestJSONIsTheServersByteForByte(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	_, kinds := kubectlKinds(t, s)
	for name, of := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWriter(t, s, of(s.Namespace(t)))
			version := w.client.ResourceVersion(t, w.in)
			theirs := kubectl(t, s, "get", "--raw", w.in.Path()+"?watch=1&resourceVersion="+version)
			ours := run(t, s, s.Admin, nil, name, "-n", w.in.Namespace, "--resource-version", version, "-o", "json")
			w.create("web-1", "web-2")
			w.edit("web-1")
			w.delete("web-1")
			events := 4
			if w.in.Resource == "pods" {
				events++ // it is told that it is going, first
			}
			for _, c := range []*command{theirs, ours} {
				cluster.Wait(t, patience, fmt.Sprint(events, " events of ", c.name), func() bool { return len(c.lines()) >= events })
			}
			assert.Equal(t, theirs.lines(), ours.lines())
		})
	}
}

func TestTypesAreSpeltAsForKubectl(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	definition, kinds := kubectlKinds(t, s)
	namespace := s.Namespace(t)
	for _, of := range kinds {
		newWriter(t, s, of(namespace)).create("web")
	}
	newWriter(t, s, configMaps(namespace)).create("web")

	group := definition.Group
	// More than kubectl, which takes the version for a group.
	for _, spelling := range []string{"pods.v1", "deployments.v1"} {
		assert.Zero(t, run(t, s, s.Admin, nil, spelling, "-n", namespace, "--once").exit(), "%s", spelling)
	}
	for _, spelling := range []string{
		"po", "pod", "pods", "Pod", "PODS", "pods.v1.", "pod.v1.",
		"deploy", "deployment", "deployments", "Deployment", "deployments.apps", "deployment.apps", "deploy.apps",
		"deployments.v1.apps", "deployment.v1.apps", "Deployment.v1.apps", "Deployment.apps",
		"ev", "event", "events", "Event", "events.events.k8s.io", "events.v1.events.k8s.io", "ev.events.k8s.io", "events.v1.",
		"cm", "configmap", "ConfigMap", "configmaps",
		// Several tests define widgets, so they have to say whose.
		"widgets." + group, "widget." + group, "wd." + group,
		"widgets.v1." + group, "Widget.v1." + group,
		"pods,cm", "deploy,widgets." + group,
		// What neither knows.
		"podz", "pods.apps", "deployments.v9.apps", "pods.v2.", "widgets.v2." + group, "wd.example.com",
	} {
		t.Run(spelling, func(t *testing.T) {
			t.Parallel()
			args := []string{spelling, "-n", namespace, "-o", "name"}
			cmd := cluster.KubectlCommand(t.Context(), t, s.Kubeconfig(t, s.Admin, ""), append([]string{"get"}, args...)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			failed := cmd.Run() != nil
			ours := run(t, s, s.Admin, nil, append(args, "--once")...)
			if failed {
				assert.NotZero(t, ours.exit(), "kubectl says %s", stderr.Bytes())
				return
			}
			assert.Zero(t, ours.exit(), "%s", ours.story())
			var names []string
			for _, line := range ours.lines() {
				names = append(names, strings.TrimPrefix(line, "ADDED "))
			}
			assert.ElementsMatch(t, strings.Fields(stdout.String()), names)
			require.NotEmpty(t, names)
		})
	}
}
