package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

// awaitEnd waits until a loop ends by itself, and returns how.
func awaitEnd(t *testing.T, c *consumer) error {
	t.Helper()
	cluster.Wait(t, patience, "the end of "+c.name, func() bool {
		_, over := c.over()
		return over
	})
	return c.err
}

func TestRefusalsStopWithTheServersReason(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	namespace := s.Namespace(t)
	const (
		denied   = 4
		notFound = 5
		other    = 1
	)
	for name, c := range map[string]struct {
		user    cluster.User
		in      cluster.Collection
		options []option
		verb    stream.Verb
		code    int
		is      error

		args []string
		exit int
	}{
		"no rights": {
			user: s.Denied(t), in: cluster.ConfigMaps(namespace),
			verb: stream.List, code: http.StatusForbidden, is: status.ErrForbidden,
			args: []string{"configmaps", "-n", namespace}, exit: denied,
		},
		"no rights to watch from a version": {
			user: s.Denied(t), in: cluster.ConfigMaps(namespace), options: []option{exactly("1")},
			verb: stream.Watch, code: http.StatusForbidden, is: status.ErrForbidden,
			args: []string{"configmaps", "-n", namespace, "--resource-version", "1"}, exit: denied,
		},
		"a token that is unknown": {
			user: s.Unknown(), in: cluster.ConfigMaps(namespace),
			verb: stream.List, code: http.StatusUnauthorized, is: status.ErrUnauthorized,
			args: []string{"configmaps", "-n", namespace}, exit: denied,
		},
		"a resource that is unknown": {
			user: s.Admin, in: cluster.Collection{Version: "v1", Resource: "nonesuches", Namespace: namespace},
			verb: stream.List, code: http.StatusNotFound, is: status.ErrNotFound,
			args: []string{"/api/v1/namespaces/" + namespace + "/nonesuches"}, exit: notFound,
		},
		"a group that is unknown": {
			user: s.Admin, in: cluster.Collection{Group: "nowhere.example.com", Version: "v1", Resource: "widgets"},
			verb: stream.List, code: http.StatusNotFound, is: status.ErrNotFound,
			args: []string{"widgets.nowhere.example.com"}, exit: notFound,
		},
		"a resource that cannot be watched": {
			user: s.Admin, in: cluster.Collection{Version: "v1", Resource: "componentstatuses"}, options: []option{exactly("1")},
			verb: stream.Watch, code: http.StatusMethodNotAllowed, is: status.ErrMethodNotAllowed,
			args: []string{"componentstatuses"}, exit: notFound,
		},
		"a label selector that cannot be read": {
			user: s.Admin, in: cluster.ConfigMaps(namespace),
			options: []option{func(w *stream.Watcher) { w.Target.LabelSelector = "a in" }},
			verb:    stream.List, code: http.StatusBadRequest,
			args: []string{"configmaps", "-n", namespace, "-l", "a in"}, exit: other,
		},
		"a field that cannot be selected": {
			user: s.Admin, in: cluster.ConfigMaps(namespace),
			options: []option{func(w *stream.Watcher) { w.Target.FieldSelector = "data.k=v" }},
			verb:    stream.List, code: http.StatusBadRequest,
			args: []string{"configmaps", "-n", namespace, "--field-selector", "data.k=v"}, exit: other,
		},
	} {
		t.Run(name, func(t *testing.T) {
			as := func(w *stream.Watcher) { w.Client = connect(t, s, c.user) }
			loop := consume(t, "library", newWatcher(t, s, c.in, append(c.options, as)...), nil, nil)
			err := awaitEnd(t, loop)
			assert.Empty(t, loop.seen())
			var ended *stream.Error
			require.ErrorAs(t, err, &ended)
			assert.Equal(t, c.verb, ended.Verb)
			var answer *status.Error
			require.ErrorAs(t, err, &answer)
			assert.Equal(t, c.code, answer.HTTPStatus)
			if c.is != nil {
				assert.ErrorIs(t, err, c.is)
			}
			assert.Contains(t, err.Error(), c.in.Resource)
			assert.Contains(t, err.Error(), c.in.Namespace)

			command := run(t, s, c.user, nil, c.args...)
			assert.Equal(t, c.exit, command.exit(), "%s", command.story())
			assert.Empty(t, command.lines())
			assert.Regexp(t, `(?m)^[0-9:]+Z rawwatch: error: .+\n\z`, command.story(), "one line, the last")
			if token := c.user.Token; token != "" {
				assert.NotContains(t, command.story()+err.Error(), token)
			}
		})
	}
}

// componentstatuses can be listed, and the list has no version.
func TestListWithoutVersionCannotBeWatched(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	in := cluster.Collection{Version: "v1", Resource: "componentstatuses"}
	c := consume(t, "library", newWatcher(t, s, in), nil, nil)
	assert.ErrorIs(t, awaitEnd(t, c), stream.ErrNoResourceVersion)
}

func TestNamespaceThatDoesNotExistIsEmpty(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, configMaps("e2e-not-yet-"+namePart()))
	c := consume(t, "library", newWatcher(t, s, w.in), nil, nil)
	command := run(t, s, s.Admin, nil, "cm", "-n", w.in.Namespace, "-o", "json", "--markers")
	awaitSynced(t, c, command)
	assert.Equal(t, []string{"SYNCED"}, words(c.seen()))

	w.client.Create(t, cluster.Namespaces, cluster.Manifest{
		"apiVersion": "v1", "kind": "Namespace", "metadata": cluster.Manifest{"name": w.in.Namespace},
	})
	t.Cleanup(func() { w.client.Delete(t, cluster.Namespaces, w.in.Namespace) })
	w.churn(5)
	verify(t, w.ledger, c, command)
}

// access gives or takes a user's right to list and watch ConfigMaps.
type access struct {
	client    *cluster.Client
	namespace string
	user      string
	names     []string // only these; none: all
}

func (a access) rbac(resource string) cluster.Collection {
	return cluster.Collection{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: resource, Namespace: a.namespace}
}

func (a access) grant(t *testing.T) {
	t.Helper()
	a.client.Create(t, a.rbac("roles"), cluster.Manifest{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
		"metadata": cluster.Manifest{"name": "reader"},
		"rules": []cluster.Manifest{{
			"apiGroups": []string{""}, "resources": []string{"configmaps"}, "verbs": []string{"list", "watch"},
			"resourceNames": a.names,
		}},
	})
	a.client.Create(t, a.rbac("rolebindings"), cluster.Manifest{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
		"metadata": cluster.Manifest{"name": "reader"},
		"roleRef":  cluster.Manifest{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
		"subjects": []cluster.Manifest{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": a.user}},
	})
}

func (a access) revoke(t *testing.T) {
	t.Helper()
	a.client.Delete(t, a.rbac("rolebindings"), "reader")
	a.client.Delete(t, a.rbac("roles"), "reader")
}

func TestRightsThatAreTakenAwayAndGivenBack(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, configMaps(s.Namespace(t)))
	rights := access{client: w.client, namespace: w.in.Namespace, user: "reader-" + namePart()}
	rights.grant(t)
	w.create("one")

	// The server checks rights when a watch begins, and never while it runs:
	// short watches notice soon.
	as := func(w *stream.Watcher) {
		w.Client = load(t, kubeconfig.Options{Path: s.Kubeconfig(t, s.Admin, ""), As: rights.user})
		w.WatchTimeout = watchesFor
	}
	patient := consume(t, "patient", newWatcher(t, s, w.in, as), nil, nil)
	hasty := consume(t, "hasty", newWatcher(t, s, w.in, as, func(w *stream.Watcher) { w.Policy.DeniedFor = -1 }), nil, nil)
	awaitSynced(t, patient, hasty)
	w.churn(5)
	settle(t, w.ledger, patient, hasty)

	rights.revoke(t)
	err := awaitEnd(t, hasty)
	assert.ErrorIs(t, err, status.ErrForbidden)
	assert.NoError(t, w.ledger.Check(nil, hasty.seen()))
	await(t, patient, "a refusal", func([]history.Event) bool { return patient.has(status.RowDeniedAfterWork) })
	w.churn(5)
	rights.grant(t)
	w.churn(5)
	verify(t, w.ledger, patient)
}

// A rule for single names allows a watch of just one of them.
func TestRightsToOneObject(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, configMaps(s.Namespace(t)))
	rights := access{client: w.client, namespace: w.in.Namespace, user: "reader-" + namePart(), names: []string{"one"}}
	rights.grant(t)
	newWriter(t, s, w.kind).create("other")
	w.create("one")
	as := func(w *stream.Watcher) {
		w.Client = load(t, kubeconfig.Options{Path: s.Kubeconfig(t, s.Admin, ""), As: rights.user})
	}
	named := func(name string) option { return func(w *stream.Watcher) { w.Target.Name = name } }
	one := consume(t, "one", newWatcher(t, s, w.in, as, named("one")), nil, nil)
	command := run(t, s, s.Admin, nil, "cm", "one", "-n", w.in.Namespace, "--as", rights.user, "-o", "json", "--markers")
	awaitSynced(t, one, command)
	w.edit("one")
	verify(t, w.ledger, one, command)

	for _, name := range []string{"other", ""} {
		assert.ErrorIs(t, awaitEnd(t, consume(t, "other", newWatcher(t, s, w.in, as, named(name)), nil, nil)), status.ErrForbidden)
	}
}
