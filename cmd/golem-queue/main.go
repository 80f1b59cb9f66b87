// Command golem-queue is a NATS server with JetStream for batches on many machines (SPEC §19),
// for people who have none. Any nats-server from version 2.11 on works the same.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
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
              [--health ADDRESS]

Without a token it listens on this machine only. The token is in the file, which is
made if it is not there, or in GOLEM_QUEUE_TOKEN. What batches send is sealed: the
server and who has its token see names of items, sizes and times, and no contents.

`

// options are what the command line says.
type options struct {
	addr, dir, tokenFile, cert, key, health string
	maxBytes                                int64
	fsync                                   bool
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
	if token, err = o.token(token, out); err != nil {
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
	log := &serverLog{out: out, fatal: make(chan error, 1)}
	s.SetLogger(log, false, false)
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	s.Start()
	ready := make(chan bool, 1)
	go func() { ready <- s.ReadyForConnections(startPatience) }()
	select {
	case err := <-log.fatal:
		return fmt.Errorf("the server does not start on %s with the store %s: %w", o.addr, so.StoreDir, err)
	case works := <-ready:
		if !works {
			return fmt.Errorf("the server does not start on %s with the store %s within %s", o.addr, so.StoreDir, startPatience)
		}
	}
	if o.health != "" {
		end, err := serveHealth(o.health, s.HandleHealthz)
		if err != nil {
			return err
		}
		defer end()
	}
	fmt.Fprintf(out, "golem-queue: %s, store in %s; Ctrl+C ends it, and it goes on where it was\n", s.ClientURL(), so.StoreDir)
	if token == "" {
		fmt.Fprintln(out, "golem-queue: only this machine reaches it; for others: --addr 0.0.0.0:4222 --token-file FILE")
	}
	select {
	case err := <-log.fatal:
		return err
	case <-ctx.Done():
		return nil
	}
}

// healthPath is where the server says how it is.
const healthPath = "/healthz"

// serveHealth answers GET /healthz at an address: 200 while the server and its store work, else
// 503. Nothing else of the server is shown there, and whoever reaches the address needs no token.
func serveHealth(addr string, health http.HandlerFunc) (end func(), err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--health: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, r *http.Request) {
		r.URL.RawQuery = "" // it would ask about single batches
		health(w, r)
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(listener) }() // ends with end
	return func() { _ = s.Close() }, nil
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
	f.StringVar(&o.tokenFile, "token-file", "", "the `FILE` with the token that clients give; made with a random one if it is not there")
	f.StringVar(&o.cert, "tls-cert", "", "the `FILE` with the certificate (PEM); clients use tls://")
	f.StringVar(&o.key, "tls-key", "", "the `FILE` with the certificate's key (PEM)")
	f.StringVar(&o.health, "health", "", "the `ADDRESS` where GET "+healthPath+" answers 200 while the server and its store work, and 503 if not, without a token")
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

// token returns the token of clients: from the file, which it makes if there is none, else the one
// of the environment.
func (o options) token(fromEnv string, out io.Writer) (string, error) {
	if o.tokenFile == "" {
		return fromEnv, nil
	}
	data, err := os.ReadFile(o.tokenFile)
	if errors.Is(err, fs.ErrNotExist) {
		return o.newToken(out)
	}
	if err != nil {
		return "", fmt.Errorf("--token-file cannot be read: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", fmt.Errorf("--token-file %s is empty: write a long random text into it", o.tokenFile)
	}
	return token, nil
}

// newToken writes a new token into the file, which only its owner can read.
func (o options) newToken(out io.Writer) (string, error) {
	token := rand.Text()
	f, err := os.OpenFile(o.tokenFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(token + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return "", fmt.Errorf("--token-file cannot be made: %w", err)
	}
	fmt.Fprintf(out, "golem-queue: made a token, which is in %s; clients give it in GOLEM_QUEUE_TOKEN\n", o.tokenFile)
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
