package cli

import (
	"time"

	"github.com/spf13/cobra"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/kubeconfig"
)

// flags are the flags of a watch as they were given. Names and shorthands are
// kubectl's wherever kubectl has one. ask.go looks at what goes together.
type flags struct {
	// Where: passed on to kubeconfig as they are. The timeout is text because
	// kubectl takes "30" for 30s.
	connection     kubeconfig.Options
	requestTimeout string
	dry            bool // --dry-run: say what would be used, and end

	// What.
	namespaces    []string
	allNamespaces bool
	selector      string
	fieldSelector string

	// From where.
	start           choice
	watchOnly       bool
	watch           bool // changes nothing: it always watches
	resourceVersion string
	checkpoint      string
	chunkSize       count

	// Until when.
	timeout duration
	count   count
	once    bool
	waitFor string

	// What to do when it goes wrong. An empty choice leaves it to the verdict
	// table.
	onExpired      choice
	onUnknownError choice
	onUnknownEvent choice
	persist        bool
	noTrack        bool
	maxReconnects  count
	backoffMin     duration
	backoffMax     duration
	watchTimeout   duration
	idleTimeout    duration
	maxFrame       size

	// What to print.
	metadataOnly bool
	printing     printing
	verbosity    count
	logFormat    choice

	recording recordingFlags
	metrics   metricsFlags
}

// The values of --start.
const (
	startList   = "list"
	startStream = "stream"
	startNow    = "now"
)

// The values of --log-format.
const (
	logFormatFlag = "log-format"
	logText       = "text"
	logJSON       = "json"
)

// defaultMaxFrame is that of package stream.
const defaultMaxFrame = 16 << 20

// words that several policy flags take.
const (
	relist = "relist"
	retry  = "retry"
	skip   = "skip"
	fail   = "fail"
)

// add gives cmd every flag. The texts are for shell completion; the page that
// --help shows is written by hand, in help.txt.
func (f *flags) add(cmd *cobra.Command) {
	set := cmd.Flags()

	c := &f.connection
	set.StringVar(&c.Path, "kubeconfig", "", "the kubeconfig file")
	set.StringVar(&c.Context, "context", "", "the kubeconfig context")
	set.StringVar(&c.Cluster, "cluster", "", "the kubeconfig cluster")
	set.StringVar(&c.User, "user", "", "the kubeconfig user")
	set.StringVarP(&c.Server, "server", "s", "", "the server's address; no kubeconfig is needed")
	set.StringVar(&c.Token, "token", "", "a bearer token")
	set.StringVar(&c.As, "as", "", "the user to act as")
	set.StringArrayVar(&c.AsGroups, "as-group", nil, "a group to act as; may be repeated")
	set.StringVar(&c.AsUID, "as-uid", "", "the UID to act as")
	set.StringVar(&c.CertificateAuthority, "certificate-authority", "", "the file of the server's CA")
	set.StringVar(&c.ClientCertificate, "client-certificate", "", "the file of the client certificate")
	set.StringVar(&c.ClientKey, "client-key", "", "the file of its key")
	set.BoolVar(&c.InsecureSkipTLSVerify, "insecure-skip-tls-verify", false, "do not check the server's certificate")
	set.StringVar(&c.TLSServerName, "tls-server-name", "", "the name in the server's certificate")
	set.BoolVar(&c.NoExec, "no-exec", false, "run no credential plugins")
	set.BoolVar(&f.dry, "dry-run", false, "print which server, credentials and namespace would be used, and end; nobody is contacted")
	set.StringVar(&f.requestTimeout, "request-timeout", "0", "limit of a request that is no watch")

	set.StringArrayVarP(&f.namespaces, "namespace", "n", nil, "the namespace; may be repeated")
	set.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "all namespaces")
	set.StringVarP(&f.selector, "selector", "l", "", "a label selector")
	set.StringVar(&f.fieldSelector, "field-selector", "", "a field selector")

	f.start = choice{startList, []string{startList, startStream, startNow}}
	set.Var(&f.start, "start", "begin with what exists (stream: in one request), or with what changes from now on")
	set.BoolVar(&f.watchOnly, "watch-only", false, "the same as --start now")
	set.BoolVarP(&f.watch, "watch", "w", false, "accepted, and changes nothing")
	set.StringVar(&f.resourceVersion, "resource-version", "", "begin after this version")
	set.StringVar(&f.checkpoint, "checkpoint", "", "the file that says where the last run ended")
	// The defaults of package stream are written out here, so that completion
	// and the help page can show them.
	f.chunkSize = 500
	set.Var(&f.chunkSize, "chunk-size", "objects in one page of a list; 0 is all")

	set.Var(&f.timeout, "timeout", "stop after this time")
	set.Var(&f.count, "count", "stop after this many events")
	set.StringVar(&f.waitFor, "for", "", "stop when it is so: delete, create, condition=NAME[=VALUE], jq=EXPRESSION")
	set.BoolVar(&f.once, "once", false, "stop when all that exists has been shown")

	f.onExpired = choice{relist, []string{relist, fail}}
	set.Var(&f.onExpired, "on-expired", "when the server has forgotten the history")
	f.onUnknownError = choice{"", []string{retry, fail}}
	set.Var(&f.onUnknownError, "on-unknown-error", "at an ERROR event that is no expiry; otherwise the verdict table decides")
	f.onUnknownEvent = choice{skip, []string{skip, fail}}
	set.Var(&f.onUnknownEvent, "on-unknown-event", "at an event of unknown type")
	set.BoolVar(&f.persist, "persist", false, "keep trying when refused or unreachable")
	set.BoolVar(&f.noTrack, "no-track", false, "remember no objects")
	set.Var(&f.maxReconnects, "max-reconnects", "give up after this many failures in a row; 0 is never")
	f.backoffMin, f.backoffMax = duration(backoff.DefaultMin), duration(backoff.DefaultMax)
	set.Var(&f.backoffMin, "backoff-min", "the first delay")
	set.Var(&f.backoffMax, "backoff-max", "the last delay")
	f.watchTimeout = duration(5 * time.Minute)
	set.Var(&f.watchTimeout, "watch-timeout", "ask the server for watches of one to two times this")
	set.Var(&f.idleTimeout, "idle-timeout", "take a connection for dead after this silence")
	f.maxFrame = defaultMaxFrame
	set.Var(&f.maxFrame, "max-frame", "the largest event")

	set.BoolVar(&f.metadataOnly, "metadata-only", false, "ask for metadata alone")
	f.printing.add(set)
	set.VarP(&f.verbosity, "v", "v", "how much to tell: 1 requests, repeats and the time (always away from a terminal), 2 events left out, 3 headers, 4 bodies")
	f.logFormat = choice{logText, []string{logText, logJSON}}
	set.Var(&f.logFormat, logFormatFlag, "how to tell it: lines, or a JSON object each")

	f.recording.add(cmd)
	f.metrics.add(cmd)
	f.complete(cmd)
}
