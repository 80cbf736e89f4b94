package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/server"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/stream/replay"
)

// served are the flags of serve.
type served struct {
	listen     string
	kubeconfig string
	faults     []string
	speed      pace
}

func newServe(streams Streams) *cobra.Command {
	f := &served{speed: 1}
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Be an API server that plays a recording to any client",
		Long: `Listen as an API server that plays a recording: kubectl, client-go, curl and
rawwatch itself get the recorded lists, events, failures and ends of connections.
Each answer is given once, in order; a client that lists from the beginning gets
the recording from the beginning, unless the watch before it is over: then it gets
the list that followed. What was listed can be streamed and the other
way round, and taken in parts: one namespace, one object. All is read-only.

A kubeconfig for it goes to standard output, or to the file of --write-kubeconfig.

--fault adds what was not recorded, NAME[=ARG][@WHERE], where WHERE is event:N,
exchange:N, rv:RV or mark:NAME:
` + faultTable(),
		Example: `  rawwatch serve pods.rwr --write-kubeconfig kc.yaml
  kubectl --kubeconfig kc.yaml get pods -w
  rawwatch serve pods.rwr --speed max --fault cut=17@event:3 --fault gone-event@rv:1041`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0], streams)
		},
	}
	set := cmd.Flags()
	set.StringVar(&f.listen, "listen", "127.0.0.1:0", "the address to listen on; port 0 is any that is free")
	set.StringVar(&f.kubeconfig, "write-kubeconfig", "", "write the kubeconfig into this file")
	set.StringArrayVar(&f.faults, "fault", nil, "add a fault; may be repeated")
	set.Var(&f.speed, "speed", "how fast: as it was recorded, N times as fast, or without pauses")
	return cmd
}

// faultTable is a line for each fault.
func faultTable() string {
	var b strings.Builder
	for _, kind := range replay.Faults() {
		name := kind.Name
		if kind.Takes != "" {
			name += "=" + strings.ToUpper(kind.Takes)
		}
		paragraphIn(&b, "  "+name, 20, kind.Does)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (f *served) run(ctx context.Context, name string, streams Streams) error {
	tell := story.New(streams.Err, story.Options{})
	var faults []replay.Fault
	for _, text := range f.faults {
		fault, err := replay.ParseFault(text)
		if err != nil {
			return usagef("--fault %s: %s", text, strings.TrimPrefix(err.Error(), "replay: "))
		}
		faults = append(faults, fault)
	}
	file, err := readRecording(name, streams.In, tell)
	if err != nil {
		return err
	}
	defer file.close()
	s, err := server.Load(file.open, float64(f.speed), faults)
	if err != nil {
		return file.failed(err)
	}
	if s.Len() == 0 || s.Example() == "" { // an empty file is a watch of nobody knows what
		return usagef("%s: nothing in it can be asked for: there is no list and no watch", file.name)
	}
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return usagef("--listen: %v", err)
	}
	address := "http://" + reachable(listener.Addr().(*net.TCPAddr))
	if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		tell.Say("warning: anyone who can reach %s can read the recording", listener.Addr())
	}
	if err := f.giveKubeconfig(s.Kubeconfig(address), streams.Out); err != nil {
		listener.Close()
		return err
	}
	tell.Say("serving %s, %s, at %s; try: rawwatch %s -s %s", file.name, human.Count(s.Len(), "exchange"), address, s.Example(), address)
	s.Log = tell.Say
	return serve(ctx, listener, s)
}

// serve serves until ctx is done.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	// Steps that break a connection panic on their way through net/http, which
	// would log it.
	web := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	defer context.AfterFunc(ctx, func() { web.Close() })()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("cannot listen any more: %w", err)
	}
	return context.Cause(ctx)
}

// reachable is an address to connect to, where any was listened on.
func reachable(a *net.TCPAddr) string {
	host := a.IP.String()
	if a.IP.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, fmt.Sprint(a.Port))
}

func (f *served) giveKubeconfig(text string, out io.Writer) error {
	if f.kubeconfig == "" {
		_, err := io.WriteString(out, text)
		return err
	}
	if err := os.WriteFile(f.kubeconfig, []byte(text), 0o600); err != nil {
		return usagef("--write-kubeconfig: %v", err)
	}
	return nil
}
