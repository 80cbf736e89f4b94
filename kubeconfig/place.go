package kubeconfig

import (
	"errors"
	"io/fs"
	"strings"

	"example.com/rawwatch/kubeconfig/transport"
)

// place is where an entry stands: for messages, and because its relative paths
// are relative to that file.
type place struct {
	file  string // "" if it is in none
	line  int
	entry string // for messages: `user "admin"`, "Options"
	name  string // the entry's own
}

func (e *entry) place() place {
	return place{file: e.file, line: e.node.Line, entry: e.String(), name: e.name}
}

// String is the place as warnings name it.
func (p place) String() string { return strings.TrimSuffix(p.error("", nil).location(), ": ") }

// error makes an error at the place.
func (p place) error(field string, err error) *Error {
	return &Error{File: p.file, Line: p.line, Entry: p.entry, Field: field, Err: err}
}

// located adds the place to what package transport found wrong with settings.
func (p *plan) located(err error) error {
	var report report
	for _, err := range flatten(err) {
		var input *transport.InputError
		if !errors.As(err, &input) {
			return err
		}
		report.fail(p.locate(input.Field, input.Err))
	}
	return report.err()
}

// locate says where a setting comes from: an option, or the entry that has it.
func (p *plan) locate(field string, err error) *Error {
	at, option, given := p.cluster.place, "", false
	set := func(name string, isSet bool) { option, given = name, isSet }
	o := p.options
	switch field {
	case "certificate-authority":
		set("CertificateAuthority", o.CertificateAuthority != "")
		field = fieldOf(field, p.cluster.tls.CA)
	case "client-certificate":
		at = p.user.place
		set("ClientCertificate", o.ClientCertificate != "")
		field = fieldOf(field, p.user.cert)
	case "client-key":
		at = p.user.place
		set("ClientKey", o.ClientKey != "")
		field = fieldOf(field, p.user.key)
	case "token":
		at = p.user.place
		set("Token", o.Token != "")
	case "server":
		set("Server", o.Server != "")
	case "insecure-skip-tls-verify":
		set("InsecureSkipTLSVerify", o.InsecureSkipTLSVerify)
	case "as":
		at = p.user.place
		set("As", o.As != "")
	case "tokenFile", "exec":
		at = p.user.place
	}
	if given {
		return &Error{Field: "Options." + option, Err: err}
	}
	e := at.error(field, err)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(err.Error(), "~$") {
		e.Hint = "neither ~ nor variables are expanded here, and paths are relative to the file"
	}
	return e
}

// fieldOf returns the field that was used of a pair such as client-key and
// client-key-data.
func fieldOf(field string, source transport.Source) string {
	if len(source.Data) > 0 {
		return field + "-data"
	}
	return field
}

// flatten returns the errors that err joins, or err itself.
func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
