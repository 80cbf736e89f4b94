package execplugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/rawwatch/kubeconfig/transport"
)

// execCredential is what a command prints. Certificate and key are PEM text,
// not base64 of it as in kubeconfig files.
type execCredential struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Status     *struct {
		Token                 string `json:"token"`
		ClientCertificateData string `json:"clientCertificateData"` // PEM
		ClientKeyData         string `json:"clientKeyData"`         // PEM
		ExpirationTimestamp   string `json:"expirationTimestamp"`   // RFC 3339
	} `json:"status"`
}

// decode reads what the command printed at now. encoding/json quotes a part of
// the input in most of its errors, and that may be a part of a token, so none
// of them is passed on.
func decode(output []byte, apiVersion string, now time.Time) (*credential, error) {
	var printed execCredential
	if err := json.Unmarshal(output, &printed); err != nil {
		return nil, fmt.Errorf("decoding stdout: the plugin printed no ExecCredential: %s", placeOf(err, len(output)))
	}
	if printed.Kind != "ExecCredential" {
		return nil, errors.New("decoding stdout: the plugin printed an object that is not an ExecCredential")
	}
	if printed.APIVersion != apiVersion {
		returned := "that is unknown"
		switch printed.APIVersion {
		case versionV1, versionBeta, versionAlpha:
			returned = printed.APIVersion
		}
		return nil, fmt.Errorf("exec plugin is configured to use API version %s, plugin returned version %s", apiVersion, returned)
	}
	status := printed.Status
	switch {
	case status == nil:
		return nil, errors.New("exec plugin didn't return a status field")
	case status.Token == "" && status.ClientCertificateData == "" && status.ClientKeyData == "":
		return nil, errors.New("exec plugin didn't return a token or cert/key pair")
	case status.ClientCertificateData == "" && status.ClientKeyData != "":
		return nil, errors.New("exec plugin returned only a key, not a certificate")
	case status.ClientCertificateData != "" && status.ClientKeyData == "":
		return nil, errors.New("exec plugin returned only a certificate, not a key")
	}

	// A token and a certificate may come together; both are used.
	var c credential
	var err error
	if status.Token != "" {
		if c.proof.Authorization, err = transport.Bearer(status.Token); err != nil {
			return nil, fmt.Errorf("exec plugin: %w", err)
		}
	}
	if status.ClientCertificateData != "" {
		c.proof.Certificate, err = transport.KeyPair([]byte(status.ClientCertificateData), []byte(status.ClientKeyData))
		if err != nil {
			return nil, errors.New("exec plugin: the certificate and key it returned cannot be used: " + errors.Unwrap(err).Error())
		}
	}
	var end time.Time
	if status.ExpirationTimestamp != "" {
		if end, err = time.Parse(time.RFC3339, status.ExpirationTimestamp); err != nil {
			return nil, errors.New("exec plugin: expirationTimestamp is not a time in RFC 3339 format")
		}
	}
	c.until = usableUntil(now, end)
	return &c, nil
}

// placeOf says what is wrong with JSON, without a word of it.
func placeOf(err error, size int) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case size == 0:
		return "it printed nothing"
	case errors.As(err, &syntax):
		return fmt.Sprintf("not JSON at byte %d of %d", syntax.Offset, size)
	case errors.As(err, &kind):
		return fmt.Sprintf("field %s has the wrong type", kind.Field)
	}
	return "not JSON"
}
