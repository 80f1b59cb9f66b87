// Package openaiserve offers workers as models of an endpoint with OpenAI's protocol: chat
// completions, responses and the list of models. Each request is one run, which ends when
// the client goes away. The package does not know projects: its caller provides the
// workers.
package openaiserve

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/httpguard"
)

// Worker is a worker that clients can ask for as a model.
type Worker struct {
	ID          string // the name of the model
	Description string
	// Chat says that the worker takes the messages before the last one.
	Chat bool
	// Object says that the worker's input is a JSON object.
	Object bool
	// Output is the JSON Schema of the answer; nil: the answer is text.
	Output json.RawMessage
	// Run carries out one request. It returns when ctx ends. id is the name of the run.
	Run func(ctx context.Context, id string, in run.Input, front ui.UI) run.Result
}

// Limits of a server.
const (
	maxBody = 32 << 20 // bytes of a request
	maxRuns = 16       // requests that are answered at the same time
	// maxTime is how long a request may take, with everything that its worker does.
	maxTime = time.Hour
)

// Server answers requests. It is safe for concurrent use.
type Server struct {
	workers []Worker
	guard   httpguard.Guard
	newID   func() string
	now     func() time.Time
	slots   chan struct{} // holds one value for each request that is answered
	mu      sync.Mutex    // protects the beginning of a run against stop
	running sync.WaitGroup
	ended   context.Context // ends every run
	end     context.CancelCauseFunc
}

// New returns a server for the workers. newID names runs.
func New(workers []Worker, guard httpguard.Guard, newID func() string) (*Server, error) {
	seen := map[string]bool{}
	for _, w := range workers {
		if seen[w.ID] {
			return nil, fault.New(fault.Ambiguous, "two exports have the ID %s, so that a client cannot choose between them", w.ID).
				Hinting("export one of them, or choose one with --entry")
		}
		seen[w.ID] = true
	}
	s := &Server{workers: workers, guard: guard, newID: newID, now: time.Now, slots: make(chan struct{}, maxRuns)}
	s.ended, s.end = context.WithCancelCause(context.Background())
	return s, nil
}

// Serve serves clients until ctx ends. When it returns, every run has ended.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	return httpguard.Serve(ctx, listener, s, s.stop)
}

// stop ends every run and waits for it.
func (s *Server) stop() {
	s.mu.Lock()
	s.end(fault.New(fault.Interrupted, "golem was stopped"))
	s.mu.Unlock()
	s.running.Wait()
}

// begin counts a run. It returns the reason if golem is being stopped.
func (s *Server) begin() *problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended.Err() != nil {
		return ofFault(fault.Of(context.Cause(s.ended), fault.Interrupted))
	}
	s.running.Add(1)
	return nil
}

// Base is the beginning of every path.
const Base = "/v1"

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	httpguard.Harden(w.Header())
	if why := s.guard.Foreign(r); why != "" {
		refuse(w, &problem{status: http.StatusForbidden, kind: "permission_error", code: "origin_not_allowed", message: why})
		return
	}
	if !s.guard.Authorized(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, &problem{status: http.StatusUnauthorized, kind: "authentication_error", code: "invalid_api_key", message: httpguard.Unauthorized})
		return
	}
	var protocol protocol
	switch path := r.URL.EscapedPath(); {
	case path == Base+"/models":
		s.get(w, r, s.models)
		return
	case strings.HasPrefix(path, Base+"/models/"):
		s.get(w, r, s.model)
		return
	case path == Base+"/chat/completions":
		protocol = chatProtocol{}
	case path == Base+"/responses":
		protocol = responsesProtocol{}
	default:
		refuse(w, &problem{status: http.StatusNotFound, kind: kindInvalid, code: "unknown_url",
			message: "golem serve has /v1/models, /v1/chat/completions and /v1/responses, and nothing else; the base URL of a client ends in /v1"})
		return
	}
	if r.Method != http.MethodPost {
		s.method(w, http.MethodPost)
		return
	}
	if p := s.answer(w, r, protocol); p != nil {
		refuse(w, p)
	}
}

// get answers a request without a body.
func (s *Server) get(w http.ResponseWriter, r *http.Request, answer func(*http.Request) (any, *problem)) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.method(w, http.MethodGet)
		return
	}
	body, p := answer(r)
	if p != nil {
		refuse(w, p)
		return
	}
	writeJSON(w, http.StatusOK, body)
}

func (s *Server) method(w http.ResponseWriter, want string) {
	w.Header().Set("Allow", want)
	refuse(w, &problem{status: http.StatusMethodNotAllowed, kind: kindInvalid, code: "method_not_allowed", message: "this address takes " + want + " only"})
}

// modelObject is a worker in the list of models.
type modelObject struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	Description string `json:"description,omitempty"`
}

func (w Worker) model() modelObject {
	return modelObject{ID: w.ID, Object: "model", OwnedBy: "golem", Description: w.Description}
}

func (s *Server) models(*http.Request) (any, *problem) {
	list := []modelObject{}
	for _, one := range s.workers {
		list = append(list, one.model())
	}
	return map[string]any{"object": "list", "data": list}, nil
}

func (s *Server) model(r *http.Request) (any, *problem) {
	id, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), Base+"/models/"))
	if err != nil {
		return nil, invalid("model", "the name of the model in the address is not valid")
	}
	w, p := s.find(id)
	return w.model(), p
}

// find returns the worker of a name.
func (s *Server) find(id string) (Worker, *problem) {
	var names []string
	for _, one := range s.workers {
		if one.ID == id {
			return one, nil
		}
		names = append(names, one.ID)
	}
	message := "no worker with the ID " + fault.Quoted(id) + " is offered; the models are: " + strings.Join(names, ", ")
	return Worker{}, &problem{status: http.StatusNotFound, kind: kindInvalid, code: "model_not_found", param: "model", message: message}
}

// answer reads a request, runs the worker, and sends the answer. With a problem nothing was
// sent.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, as protocol) *problem {
	select {
	case s.slots <- struct{}{}:
	default:
		w.Header().Set("Retry-After", "1")
		return &problem{status: http.StatusTooManyRequests, kind: "requests", code: "rate_limit_exceeded", again: true,
			message: "16 requests are being answered, and golem serve takes no more at the same time; ask again when one of them has ended"}
	}
	defer func() { <-s.slots }()
	data, err := httpguard.ReadBody(w, r, maxBody)
	switch {
	case errors.Is(err, httpguard.ErrTooLarge):
		return &problem{status: http.StatusRequestEntityTooLarge, kind: kindInvalid, code: "request_too_large", message: "the request has more than 32 MiB"}
	case err != nil:
		return &problem{status: http.StatusBadRequest, kind: kindInvalid, code: "incomplete_body", message: "the body was not received within 30 seconds, or not to its end"}
	}
	asked, p := as.read(data)
	if p != nil {
		return p
	}
	worker, p := s.find(asked.model)
	if p != nil {
		return p
	}
	in, p := asked.input(worker)
	if p == nil {
		p = asked.format.check(worker)
	}
	if p == nil {
		p = s.begin()
	}
	if p != nil {
		return p
	}
	defer s.running.Done()
	s.run(w, r, as, asked, worker, in)
	return nil
}

// run runs the worker and sends the answer.
func (s *Server) run(w http.ResponseWriter, r *http.Request, as protocol, asked *request, worker Worker, in run.Input) {
	if len(asked.ignored) > 0 {
		w.Header().Set("X-Golem-Ignored", headerList(asked.ignored))
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.ended, func() { cancel(context.Cause(s.ended)) })()
	late := time.AfterFunc(maxTime, func() {
		cancel(fault.New(fault.Timeout, "the request took longer than %v", maxTime).Hinting("ask for less, or run the worker with golem run"))
	})
	defer late.Stop()
	made := answer{id: s.newID(), created: s.now().Unix(), request: asked, worker: worker}
	w.Header().Set("X-Golem-Run", made.id)
	if asked.stream {
		s.stream(ctx, cancel, w, as, made, in)
		return
	}
	front := &front{}
	made.finish(worker.Run(ctx, made.id, in, front), front.cut())
	made.setDenied(w.Header())
	if made.problem != nil {
		refuse(w, made.problem)
		return
	}
	made.text += made.note
	writeJSON(w, http.StatusOK, as.whole(made))
}
