package openaiserve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"
)

const hello = `{"model":"main","messages":[{"role":"user","content":"hello"}]}`

// SECURITY 23: only programs with the token get an answer, and no web page: requests of other
// origins and after DNS rebinding are refused before their bodies are read. Each refusal is an
// error in OpenAI's form, and no answer admits another origin (CORS).
func TestRefuses(t *testing.T) {
	s := newServer(t, workers())
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"all is well", func(*http.Request) {}, 200},
		{"its own origin", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:9") }, 200},
		{"IPv6", func(r *http.Request) { r.Host = "[::1]:9" }, 200},
		{"localhost", func(r *http.Request) { r.Host = "localhost:9" }, 200},
		{"rebinding", func(r *http.Request) { r.Host = "evil.example:9" }, 403},
		{"a name that looks local", func(r *http.Request) { r.Host = "localhost.evil.example" }, 403},
		{"a name that looks like an address", func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 403},
		{"no host", func(r *http.Request) { r.Host = "" }, 403},
		{"another address", func(r *http.Request) { r.Host = "192.168.0.1" }, 403},
		{"a page", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"a page without origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"a page of another port", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:10") }, 403},
		{"two origins", func(r *http.Request) { r.Header["Origin"] = []string{"http://127.0.0.1:9", "https://evil.example"} }, 403},
		{"the question of a browser", func(r *http.Request) { r.Method = "OPTIONS"; r.Header.Set("Origin", "https://evil.example") }, 403},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret[1:]) }, 401},
		{"a longer token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret+"x") }, 401},
		{"an empty token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, 401},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic "+secret) }, 401},
		{"two tokens", func(r *http.Request) { r.Header.Add("Authorization", "Bearer other") }, 401},
		{"the token in the address", func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "api_key=" + secret }, 401},
		{"the token in a cookie", func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Cookie", "token="+secret) }, 401},
		{"no token and no such path", func(r *http.Request) { r.Header.Del("Authorization"); r.URL.Path = "/v1/nothing" }, 401},
		{"another path", func(r *http.Request) { r.URL.Path = "/v1/embeddings" }, 404},
		{"without v1", func(r *http.Request) { r.URL.Path = "/chat/completions" }, 404},
		{"a path with steps", func(r *http.Request) { r.URL.Path = "/v1/models/../chat/completions" }, 405},
		{"a doubled path", func(r *http.Request) { r.URL.Path = "/v1//chat/completions" }, 404},
		{"another case", func(r *http.Request) { r.URL.Path = "/V1/chat/completions" }, 404},
		{"get", func(r *http.Request) { r.Method = "GET" }, 405},
		{"too much", func(r *http.Request) { r.Body = io.NopCloser(io.LimitReader(endless{}, maxBody+1)) }, 413},
		{"not JSON", func(r *http.Request) { r.Body = body("{bad") }, 400},
		{"nothing", func(r *http.Request) { r.Body = body("") }, 400},
		{"a list", func(r *http.Request) { r.Body = body("[]") }, 400},
		{"null", func(r *http.Request) { r.Body = body("null") }, 400},
		{"deep", func(r *http.Request) { r.Body = body(`{"model":"main","messages":` + strings.Repeat("[", 100_000)) }, 400},
		{"deep and whole", func(r *http.Request) {
			r.Body = body(`{"model":"main","messages":[{"role":"user","content":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}]}`)
		}, 400},
		{"deep in what is ignored", func(r *http.Request) {
			r.Body = body(`{"model":"main","x":` + strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000) + `,"messages":[{"role":"user","content":"x"}]}`)
		}, 200},
		{"many messages", func(r *http.Request) {
			r.Body = body(`{"model":"reports/chat","messages":[` + strings.Repeat(`{"role":"user","content":"x"},`, maxMessages) + `{"role":"user","content":"x"}]}`)
		}, 400},
		{"many parts", func(r *http.Request) {
			r.Body = body(`{"model":"main","messages":[{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":""},`, maxMessages) + `{"type":"text","text":"x"}]}]}`)
		}, 400},
		{"a file of an odd name", func(r *http.Request) {
			r.Body = body(`{"model":"main","messages":[{"role":"user","content":[{"type":"file","file":{"filename":"../../etc/passwd","file_data":"YQ=="}}]}]}`)
		}, 200},
		{"a schema that takes long", func(r *http.Request) {
			r.Body = body(`{"model":"structured","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"schema":{"$ref":"https://evil.example/s.json"}}}}`)
		}, 400},
	} {
		r := httptest.NewRequest("POST", "http://127.0.0.1:9/v1/chat/completions", strings.NewReader(hello))
		r.Header.Set("Authorization", "Bearer "+secret)
		c.change(r)
		r.RequestURI = ""
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d, want %d: %.300s", c.name, w.Code, c.want, w.Body)
		}
		if c.want != 200 && (!strings.HasPrefix(w.Body.String(), `{"error":{"message":"`) || strings.Contains(w.Body.String(), secret)) {
			t.Errorf("%s: %.300s", c.name, w.Body)
		}
	}
	if len(s.slots) != 0 {
		t.Errorf("%d requests are counted after their end", len(s.slots))
	}
}

func body(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

// endless is a body without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// On an address that other machines reach, the server answers to IP addresses and not to names,
// and never without the token.
func TestAnywhere(t *testing.T) {
	s := newServer(t, workers())
	s.guard.Anywhere = true
	for host, want := range map[string]int{"192.168.0.7:9": 200, "localhost:9": 200, "[2001:db8::1]:9": 200, "golem.example:9": 403} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:9/v1/models", nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Host = host
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d", host, w.Code)
		}
		r.Header.Del("Authorization")
		w = httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code == 200 {
			t.Errorf("%s: an answer without the token", host)
		}
	}
}

// The name of a worker in an address is compared with those that are offered, and is no path.
func TestModelPaths(t *testing.T) {
	base := site(t, workers())
	for name, want := range map[string]int{
		"main": 200, "reports/chat": 200, "reports%2Fchat": 200, "Main": 404, "main/": 404, "..%2fmain": 404, "reports//chat": 404, "main%00": 404, "%6dain": 200, "": 404,
	} {
		r, err := http.NewRequest("GET", base+"/models/"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d, want %d", name, res.StatusCode, want)
		}
	}
}

// waiting is a worker that runs until it may end, or its client goes away.
type waiting struct {
	begun chan bool
	end   chan bool
	ended chan error
}

func newWaiting(n int) *waiting {
	return &waiting{make(chan bool, n), make(chan bool), make(chan error, n)}
}

func (w *waiting) run(ctx context.Context, _ run.Input, front ui.UI) run.Result {
	says(front, "stop", "a beginning")
	w.begun <- true
	select {
	case <-w.end:
		return okay("a beginning")
	case <-ctx.Done():
		w.ended <- context.Cause(ctx)
		return run.Result{Status: run.Interrupted, Error: fault.Of(context.Cause(ctx), fault.Interrupted)}
	}
}

// Of 1,000 requests at once, 16 run, and each other one is told to come again. Then the server
// is free.
func TestManyAtOnce(t *testing.T) {
	const all = 1_000
	w := newWaiting(all)
	s := newServer(t, []Worker{doing("main", w.run)})
	var answered, refused atomic.Int64
	var done sync.WaitGroup
	for range all {
		done.Go(func() {
			r := httptest.NewRequest("POST", "http://127.0.0.1:9/v1/chat/completions", strings.NewReader(hello))
			r.Header.Set("Authorization", "Bearer "+secret)
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, r)
			switch {
			case rec.Code == 200:
				answered.Add(1)
			case rec.Code == 429 && rec.Header().Get("Retry-After") == "1" && rec.Header().Get("X-Should-Retry") == "":
				if refused.Add(1) == all-maxRuns {
					close(w.end)
				}
			default:
				t.Errorf("%d %s", rec.Code, rec.Body)
			}
		})
	}
	done.Wait()
	if answered.Load() != maxRuns || refused.Load() != all-maxRuns || len(s.slots) != 0 {
		t.Errorf("%d answered, %d refused, %d open", answered.Load(), refused.Load(), len(s.slots))
	}
}

// A client that goes away ends its run, in one piece and as a stream; so does the end of the
// server, which waits for its runs.
func TestGone(t *testing.T) {
	for _, stream := range []bool{false, true} {
		w := newWaiting(1)
		base := site(t, []Worker{doing("main", w.run)})
		ctx, leave := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, "POST", base+"/chat/completions", strings.NewReader(fmt.Sprintf(`{"stream":%v,%s`, stream, hello[1:])))
		r.Header.Set("Authorization", "Bearer "+secret)
		go func() {
			if res, err := http.DefaultClient.Do(r); err == nil {
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}()
		<-w.begun
		leave()
		if err := <-w.ended; err == nil {
			t.Error("the run goes on without its client")
		}
	}
	w := newWaiting(1)
	s := newServer(t, []Worker{doing("main", w.run)})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	answer := make(chan string, 1)
	go func() {
		_, text := ask(t, "http://"+listener.Addr().String()+Base, "/chat/completions", hello)
		answer <- text
	}()
	<-w.begun
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if got := <-answer; !strings.Contains(got, `"code":"E_INTERRUPTED"`) {
		t.Error(got)
	}
	if p := s.begin(); p == nil || p.status != http.StatusServiceUnavailable {
		t.Errorf("a run begins after the end: %+v", p)
	}
}

// A client that begins a request and sends no more of it keeps nobody else from an answer.
func TestSlowBody(t *testing.T) {
	base := site(t, workers())
	for range maxRuns - 1 {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(base, "http://"), Base))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n", secret)
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100") { // golem reads the body
			t.Fatal(line, err)
		}
	}
	if res, got := ask(t, base, "/chat/completions", hello); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, got)
	}
}
