package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"strings"
)

// A Credential knows what proves who we are, now. It may be used by several
// goroutines at once.
type Credential interface {
	// Proof returns what the next request carries.
	Proof(ctx context.Context) (Proof, error)

	// Renew is called after the server answered 401 to a request that carried
	// refused. It reports whether the same request is worth a second try with
	// what Proof returns now. Many requests are refused at once when a
	// credential expires: Renew must compare refused with what it has, so that
	// the first caller renews and the others only learn of it. It compares
	// the parts that it provides itself; the rest is another credential's.
	Renew(ctx context.Context, refused Proof) (again bool, err error)
}

// A Proof is what one request carries to say who we are. The zero Proof is
// that of an anonymous client.
type Proof struct {
	// Authorization is the whole value of that header, "" for none.
	Authorization string `json:"-"`
	// Certificate is offered in TLS handshakes, nil for none. Equal
	// certificates must be the same pointer: a new pointer means new
	// connections.
	Certificate *tls.Certificate `json:"-"`
}

// String keeps the secret out of anything that is printed with %v or %s.
func (Proof) String() string { return "transport.Proof{hidden}" }

// GoString is String for %#v.
func (p Proof) GoString() string { return p.String() }

// fixed is a credential that cannot change, so that renewing it is no use.
type fixed struct {
	hidden
	proof Proof
}

func (f *fixed) Proof(context.Context) (Proof, error)       { return f.proof, nil }
func (f *fixed) Renew(context.Context, Proof) (bool, error) { return false, nil }

// hidden keeps a credential that has it out of whatever is printed. Package
// fmt calls no methods on what it finds in an unexported field, so credentials
// are pointers as well: of those it prints the address there.
type hidden struct{}

func (hidden) String() string   { return "transport.Credential{hidden}" }
func (hidden) GoString() string { return "transport.Credential{hidden}" }

// Token returns a credential that sends token as it is, for ever. White space
// around the token is dropped; inside it is an error.
func Token(token string) (Credential, error) {
	header, err := Bearer(token)
	if err != nil {
		return nil, err
	}
	return &fixed{proof: Proof{Authorization: header}}, nil
}

// Basic returns a credential that sends a user name and a password.
func Basic(username, password string) Credential {
	pair := base64.StdEncoding.EncodeToString([]byte(username + ":" + password))
	return &fixed{proof: Proof{Authorization: "Basic " + pair}}
}

// Join returns a credential that carries what all of them carry; of several
// that have the same part, the first one counts.
func Join(credentials ...Credential) Credential {
	if len(credentials) == 1 {
		return credentials[0]
	}
	return joined(credentials)
}

type joined []Credential

func (j joined) Proof(ctx context.Context) (Proof, error) {
	var all Proof
	for _, c := range j {
		p, err := c.Proof(ctx)
		if err != nil {
			return Proof{}, err
		}
		all.Authorization = cmp.Or(all.Authorization, p.Authorization)
		all.Certificate = cmp.Or(all.Certificate, p.Certificate)
	}
	return all, nil
}

// Renew renews all of them: a 401 does not say which one was refused.
func (j joined) Renew(ctx context.Context, refused Proof) (bool, error) {
	again := false
	for _, c := range j {
		more, err := c.Renew(ctx, refused)
		if err != nil {
			return false, err
		}
		again = again || more
	}
	return again, nil
}

// Bearer returns the Authorization header that carries token. Files and
// plugins often leave a line break at the end, which net/http would refuse to
// send with a message that does not say where it came from, so white space
// around the token is dropped. The error never quotes the token.
func Bearer(token string) (string, error) {
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		return "", errors.New("the token is empty")
	case len(token) > 7 && strings.EqualFold(token[:7], "bearer "):
		return "", errors.New(`the token starts with the word "Bearer": leave that out`)
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] >= 0x7f {
			return "", errors.New("the token has white space, a control character or a non-ASCII character inside")
		}
	}
	return "Bearer " + token, nil
}
