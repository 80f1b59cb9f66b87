// Command golem-queue is a NATS server with JetStream for batches on many machines (SPEC §19),
// for people who have none. Any nats-server from version 2.11 on works the same.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const usage = `golem-queue is the server for batches on many machines: golem batch --queue URL begins
one, and golem worker URL joins it.

  golem-queue [--addr 127.0.0.1:4222] [--dir DIR] [--token-file FILE]
              [--tls-cert FILE --tls-key FILE] [--max-bytes N] [--fsync]

Without a token it listens on this machine only. The token is in the file, or in
GOLEM_QUEUE_TOKEN. What batches send is sealed: the server and who has its token see
names of items, sizes and times, and no contents.

`

// options are what the command line says.
type options struct {
	addr, dir, tokenFile, cert, key string
	maxBytes                        int64
	fsync                           bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv("GOLEM_QUEUE_TOKEN"), os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "golem-queue:", err)
		os.Exit(2)
	}
}

// run serves until ctx ends, and then stops the server and waits until its store is written.
func run(ctx context.Context, args []string, token string, out io.Writer) error {
	o, err := read(args, out)
	if err != nil {
		return err
	}
	if token, err = o.token(token); err != nil {
		return err
	}
	so, err := o.server(token)
	if err != nil {
		return err
	}
	s, err := server.NewServer(so)
	if err != nil {
		return err
	}
	s.Start()
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	if !s.ReadyForConnections(startPatience) {
		return fmt.Errorf("the server does not start on %s: another program may use the port, or %s cannot be written", o.addr, so.StoreDir)
	}
	fmt.Fprintf(out, "golem-queue: %s, store in %s; Ctrl+C ends it, and it goes on where it was\n", s.ClientURL(), so.StoreDir)
	<-ctx.Done()
	return nil
}

// startPatience is how long the server may read its store when it starts.
const startPatience = 5 * time.Minute

// read reads the command line.
func read(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("golem-queue", flag.ContinueOnError)
	f.SetOutput(out)
	f.Usage = func() {
		fmt.Fprint(out, usage)
		f.PrintDefaults()
	}
	f.StringVar(&o.addr, "addr", "127.0.0.1:4222", "the `ADDRESS` to listen on; port 0: any free one")
	f.StringVar(&o.dir, "dir", "golem-queue", "the `DIR` with the store")
	f.StringVar(&o.tokenFile, "token-file", "", "the `FILE` with the token that clients give")
	f.StringVar(&o.cert, "tls-cert", "", "the `FILE` with the certificate (PEM); clients use tls://")
	f.StringVar(&o.key, "tls-key", "", "the `FILE` with the certificate's key (PEM)")
	f.Int64Var(&o.maxBytes, "max-bytes", 0, "the most `BYTES` of the store; 0: three quarters of the free disk")
	f.BoolVar(&o.fsync, "fsync", false, "write each message to the disk before it is acknowledged, so that a loss of power loses none; slower. Otherwise it is written within two minutes")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag (golem-queue --help)", f.Arg(0))
	}
	return o, nil
}

// token returns the token of clients: from the file, else the one of the environment.
func (o options) token(fromEnv string) (string, error) {
	if o.tokenFile == "" {
		return fromEnv, nil
	}
	data, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file cannot be read: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", fmt.Errorf("--token-file %s is empty: write a long random text into it", o.tokenFile)
	}
	return token, nil
}

// server returns the options of the server.
func (o options) server(token string) (*server.Options, error) {
	host, port, err := net.SplitHostPort(o.addr)
	if err != nil {
		return nil, fmt.Errorf("--addr %s is not HOST:PORT", o.addr)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return nil, fmt.Errorf("--addr %s has no port between 0 and 65535", o.addr)
	}
	if n == 0 {
		n = server.RANDOM_PORT
	}
	ip := net.ParseIP(host)
	if token == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("without a token it listens on this machine only: give --token-file FILE, or --addr 127.0.0.1:%s", port)
	}
	dir, err := filepath.Abs(o.dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("--dir %s cannot be made: %w", o.dir, err)
	}
	so := &server.Options{
		ServerName: "golem-queue", Host: host, Port: n, JetStream: true, StoreDir: dir, JetStreamMaxStore: o.maxBytes, Authorization: token,
		NoSigs: true, MaxPayload: maxMessage, NoSystemAccount: true, SyncAlways: o.fsync,
	}
	if o.cert == "" && o.key == "" {
		return so, nil
	}
	so.TLSTimeout = server.TLS_TIMEOUT.Seconds()
	so.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{CertFile: o.cert, KeyFile: o.key})
	if err != nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	so.TLS = true
	return so, nil
}

// maxMessage is the most bytes of a message; golem sends larger contents in parts.
const maxMessage = 1 << 20
