package webtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/net/websocket"
)

// bidi is a client of WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/): it sends
// commands and receives their answers, and events. It is safe for concurrent use.
type bidi struct {
	ws      *websocket.Conn
	writing sync.Mutex

	mu      sync.Mutex
	last    int
	waiting map[int]chan bidiMessage
	hears   map[string]func(bidiMessage) // receivers of events, by browsing context
	over    error                        // why the connection ended; nil: it is open
	left    chan string                  // browsing contexts that tests no longer use

	front sync.Mutex // held while a window must be in front: only that window gets keys, and a new window comes to the front
}

// bidiMessage is an answer or an event.
type bidiMessage struct {
	ID      int             `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// dialBidi connects to address, "ws://HOST:PORT", and begins a session.
func dialBidi(ctx context.Context, address string) (*bidi, error) {
	config, err := websocket.NewConfig(address+"/session", origin)
	if err != nil {
		return nil, err
	}
	ws, err := config.DialContext(ctx)
	if err != nil {
		return nil, err
	}
	c := &bidi{ws: ws, waiting: map[int]chan bidiMessage{}, hears: map[string]func(bidiMessage){}, left: make(chan string, 8)}
	go c.read()
	_, err = call[any](ctx, c, "session.new", object{"capabilities": object{"alwaysMatch": object{
		"acceptInsecureCerts": true, "unhandledPromptBehavior": object{"default": "accept"},
	}}})
	if err == nil {
		_, err = call[any](ctx, c, "session.subscribe", object{"events": []string{"log.entryAdded", "network.beforeRequestSent"}})
	}
	if err == nil {
		err = c.forgetWorkers(ctx)
	}
	return c, err
}

// forgetWorkers removes the listener for web workers that a session adds to every process of
// Firefox. No test needs it, and it stops some workers from starting: of 200 pages that were
// reloaded and then started three workers in a worker, 16 to 19 never returned from new
// Worker (0 of 2,000 pages without a session, Firefox 153). If Firefox has no such listener,
// nothing happens.
func (c *bidi) forgetWorkers(ctx context.Context) error {
	const end = `(() => {
		try {
			ChromeUtils.importESModule('chrome://remote/content/shared/js-process-actors/WebDriverWorkerListenerActor.sys.mjs').unregisterWebDriverWorkerListenerActor()
		} catch (e) {
			return String(e)
		}
		return ''
	})()`
	own, err := call[struct{ Contexts []struct{ Context string } }](ctx, c, "browsingContext.getTree", object{"moz:scope": "chrome", "maxDepth": 0})
	if err != nil {
		return err
	}
	if len(own.Contexts) == 0 {
		return errors.New("no window of Firefox itself")
	}
	_, err = call[any](ctx, c, "script.evaluate", object{
		"expression": end, "target": object{"context": own.Contexts[0].Context}, "awaitPromise": false,
	})
	return err
}

type object = map[string]any

// read gives each message to its receiver, until the connection ends.
func (c *bidi) read() {
	for in := json.NewDecoder(c.ws); ; {
		var m bidiMessage
		if err := in.Decode(&m); err != nil {
			c.end(fmt.Errorf("the browser is gone: %w", err))
			return
		}
		var about struct {
			Context string
			Source  struct{ Context string }
		}
		if m.Method != "" {
			_ = json.Unmarshal(m.Params, &about) // an event without a page has no receiver
		}
		c.mu.Lock()
		hear := c.hears[about.Context+about.Source.Context]
		answer := c.waiting[m.ID]
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		switch {
		case m.Method != "" && hear != nil:
			hear(m)
		case answer != nil:
			answer <- m
		}
	}
}

func (c *bidi) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = why
	for id, answer := range c.waiting {
		delete(c.waiting, id)
		close(answer)
	}
}

// listen gives a page's events to hear, on the goroutine of read. nil ends that.
func (c *bidi) listen(page string, hear func(bidiMessage)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hears[page] = hear; hear == nil {
		delete(c.hears, page)
	}
}

// call sends a command and waits for its result.
func call[T any](ctx context.Context, c *bidi, method string, params object) (T, error) {
	var result T
	answer := make(chan bidiMessage, 1)
	c.mu.Lock()
	err := c.over
	c.last++
	id := c.last
	if err == nil {
		c.waiting[id] = answer
	}
	c.mu.Unlock()
	if err == nil {
		c.writing.Lock()
		err = websocket.JSON.Send(c.ws, object{"id": id, "method": method, "params": params})
		c.writing.Unlock()
	}
	if err != nil {
		return result, err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return result, fmt.Errorf("%s: %w", method, c.over)
		case m.Error != "":
			return result, fmt.Errorf("%s: %s: %s", method, m.Error, m.Message)
		}
		return result, json.Unmarshal(m.Result, &result)
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
		return result, ctx.Err()
	}
}

// remote is a value of the page in the encoding of BiDi (script.RemoteValue).
type remote struct {
	Type  string
	Value json.RawMessage
}

var errNoValue = errors.New("the value has no form in JSON")

// plain returns the value in a form that json.Marshal encodes as the page's value.
func (r remote) plain() (any, error) {
	switch r.Type {
	case "undefined", "null":
		return nil, nil
	case "string", "boolean", "number":
		return r.Value, nil
	case "array":
		var items []remote
		if err := json.Unmarshal(r.Value, &items); err != nil {
			return nil, err
		}
		out := make([]any, len(items))
		for i, item := range items {
			v, err := item.plain()
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case "object":
		var pairs [][2]json.RawMessage
		if err := json.Unmarshal(r.Value, &pairs); err != nil {
			return nil, err
		}
		out := object{}
		for _, pair := range pairs {
			var name string
			var item remote
			err := errors.Join(json.Unmarshal(pair[0], &name), json.Unmarshal(pair[1], &item))
			if err == nil {
				out[name], err = item.plain()
			}
			if err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s: %w", r.Type, errNoValue)
}
