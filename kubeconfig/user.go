package kubeconfig

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/rawwatch/kubeconfig/transport"
)

var userKeys = []string{
	"token", "tokenFile", "client-certificate", "client-certificate-data", "client-key", "client-key-data",
	"username", "password", "as", "as-uid", "as-groups", "as-user-extra", "exec", "auth-provider", "extensions",
}

// user is a decoded user entry, or one made of flags or of the pod's
// environment: who we are. Files are not read and plugins not looked for here.
type user struct {
	place
	token, tokenFile   string
	cert, key          transport.Source
	username, password string
	impersonate        transport.Impersonation
	exec               *plugin
	authProvider       string // its name; "" if there is none
	hasAuthProvider    bool
}

// decodeUser reads the chosen user.
func decodeUser(e *entry, report *report) *user {
	s := e.content(report, userKeys)
	u := &user{
		place:     e.place(),
		token:     s.str("token"),
		tokenFile: s.filePath(e.place(), "tokenFile"),
		cert:      s.source(e.place(), "client-certificate"),
		key:       s.source(e.place(), "client-key"),
		username:  s.str("username"),
		password:  s.str("password"),
		impersonate: transport.Impersonation{
			User:   s.str("as"),
			UID:    s.str("as-uid"),
			Groups: s.strs("as-groups"),
			Extra:  s.lists("as-user-extra"),
		},
	}
	if n := s.get("auth-provider"); n != nil {
		u.hasAuthProvider = true
		u.authProvider = s.sub("auth-provider", []string{"name", "config"}).str("name")
	}
	if s.get("exec") != nil {
		u.exec = decodePlugin(s.sub("exec", pluginKeys), e.place())
	}
	return u
}

// lists reads a mapping from strings to lists of strings. Its keys are the
// user's own (as-user-extra), so none of them is unknown.
func (s section) lists(key string) map[string][]string {
	sub := s.sub(key, nil)
	if sub.node == nil {
		return nil
	}
	lists := make(map[string][]string)
	for i := 0; i+1 < len(sub.node.Content); i += 2 {
		if k := resolve(sub.node.Content[i]); k.Kind == yaml.ScalarNode && !isMerge(k) {
			lists[k.Value] = sub.strs(k.Value)
		}
	}
	return lists
}

// override applies the flags. A flag that says who we are replaces, and does
// not add: somebody who asks to be bob does not expect to be a member of the
// groups that alice had in the file.
func (u *user) override(o Options, report *report) {
	if o.Token != "" {
		// The certificate has to go too. An API server asks its certificate
		// authenticator first, so the token would be sent and not looked at.
		if u.cert.File != "" || len(u.cert.Data) > 0 {
			report.warn("%s: the client certificate is not used: a token was given", u.place)
		}
		*u = user{place: u.place, token: o.Token, impersonate: u.impersonate}
	}
	if o.ClientCertificate != "" {
		u.cert = transport.Source{File: absolute(o.ClientCertificate)}
	}
	if o.ClientKey != "" {
		u.key = transport.Source{File: absolute(o.ClientKey)}
	}
	switch {
	case o.As != "":
		u.impersonate = transport.Impersonation{User: o.As, UID: o.AsUID, Groups: o.AsGroups}
	default:
		if o.AsUID != "" {
			u.impersonate.UID = o.AsUID
		}
		if len(o.AsGroups) > 0 {
			u.impersonate.Groups = o.AsGroups
		}
	}
}

// check reports settings that contradict each other, and warns of those that
// have no effect.
func (u *user) check(report *report) {
	hasCert := u.cert.File != "" || len(u.cert.Data) > 0
	hasKey := u.key.File != "" || len(u.key.Data) > 0
	switch {
	case hasCert && !hasKey:
		report.fail(u.error("client-key", errors.New("missing, but there is a client certificate: client-key-data or client-key must be specified")))
	case hasKey && !hasCert:
		report.warn("%s: the client key is not used: there is no client certificate", u.place)
		u.key = transport.Source{}
	}

	// A server takes one Authorization header. A token file beside a token is
	// no contradiction: the token is for as long as the file is not there.
	var methods []string
	for _, m := range []struct {
		name string
		set  bool
	}{{"token", u.token != ""}, {"tokenFile", u.tokenFile != ""}, {"username", u.username != ""}} {
		if m.set {
			methods = append(methods, m.name)
		}
	}
	if u.username != "" && len(methods) > 1 {
		report.fail(u.error("", fmt.Errorf("more than one authentication method found: %s; only one is allowed", strings.Join(methods, ", "))))
	}
	if u.username == "" && u.password != "" {
		report.warn("%s: the password is not used: there is no username", u.place)
	}

	switch {
	case u.exec != nil && u.hasAuthProvider:
		report.fail(u.error("", errors.New("authProvider cannot be provided in combination with an exec plugin")))
	case u.hasAuthProvider:
		report.fail(&Error{File: u.file, Line: u.line, Entry: u.entry, Field: "auth-provider",
			Err: fmt.Errorf("no Auth Provider found for name %q", u.authProvider), Hint: replacement(u.authProvider)})
	case u.exec != nil && (len(methods) > 0 || hasCert):
		// client-go passes over the plugin without a word. It is what people
		// meet who add exec to a user and leave the expired token in place.
		used := "client certificate"
		if len(methods) > 0 {
			used = methods[0]
		}
		report.warn("%s: the exec plugin is not used: the user has a %s as well", u.place, used)
		u.exec = nil
	}
	if u.exec != nil {
		u.exec.check(report)
	}
}

// replacement says what took the place of an auth-provider. Kubernetes 1.26
// removed those of the clouds; oidc is compiled into kubectl alone.
func replacement(name string) string {
	switch name {
	case "gcp":
		return "use the exec plugin gke-gcloud-auth-plugin: gcloud container clusters get-credentials writes it"
	case "azure":
		return "use the exec plugin kubelogin: kubelogin convert-kubeconfig writes it"
	case "oidc":
		return "use an exec plugin for OpenID Connect such as kubelogin (kubectl oidc-login)"
	}
	return "auth providers were replaced by exec plugins"
}

// identified reports whether the user has anything to prove itself with.
func (u *user) identified() bool {
	return u.token != "" || u.tokenFile != "" || u.username != "" || u.exec != nil || u.cert.File != "" || len(u.cert.Data) > 0
}

// credential returns what proves the user, nil if nothing does, and what kind
// it is in words. Errors are of type *transport.InputError, or several of them
// joined.
func (u *user) credential(target *cluster, o Options) (transport.Credential, string, error) {
	var all []transport.Credential
	var kinds []string
	var failed error
	add := func(kind, field string, c transport.Credential, err error) {
		all, kinds = append(all, c), append(kinds, kind)
		var input *transport.InputError
		if err != nil && !errors.As(err, &input) {
			err = &transport.InputError{Field: field, Err: err}
		}
		failed = errors.Join(failed, err)
	}
	if u.cert.File != "" || len(u.cert.Data) > 0 {
		c, err := transport.Certificate(u.cert, u.key)
		add("client certificate", "client-certificate", c, err)
	}
	switch {
	case u.tokenFile != "":
		c, err := transport.TokenFile(u.tokenFile, u.token)
		add("token file", "tokenFile", c, err)
	case u.token != "":
		c, err := transport.Token(u.token)
		add("token", "token", c, err)
	case u.username != "":
		add("basic", "username", transport.Basic(u.username, u.password), nil)
	case u.exec != nil:
		c, err := u.exec.credential(target, o)
		add("exec plugin", "exec", c, err)
	}
	if failed != nil {
		return nil, "", failed
	}
	if len(all) == 0 {
		return nil, "anonymous", nil
	}
	return transport.Join(all...), strings.Join(kinds, " and "), nil
}
