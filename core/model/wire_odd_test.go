package model

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
)

// A request that waits for a short pause does not overtake a longer one that the host
// asked for meanwhile.
func TestPauseIsNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lane{probe: make(chan struct{}, 1)}
		l.holdBack(50 * time.Millisecond)
		start := time.Now()
		done := make(chan time.Duration)
		go func() {
			leave, err := l.enter(context.Background())
			if err == nil {
				defer leave(true)
			}
			done <- time.Since(start)
		}()
		time.Sleep(10 * time.Millisecond)
		l.holdBack(2 * time.Second)
		if took := <-done; took < 2*time.Second {
			t.Errorf("the request went out after %v", took)
		}
	})
}

// A provider that asks to wait longer than golem waits is not asked again after 60 s.
func TestLongRetryAfterFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries, begun := 0, time.Now()
		m := WithRetry(&stubborn{fail: func() error {
			tries++
			return (&failure{status: 429, retry: true, retryAfter: 24 * time.Hour, message: "slow down"}).fault(fault.Model, remedy{})
		}}, RetryPolicy{}, nil)
		_, err := m.Generate(t.Context(), request(), nil)
		if tries != 1 || time.Since(begun) > 0 || err == nil || !strings.Contains(err.Error(), "asks to wait 24h0m0s") {
			t.Errorf("%d attempts in %v: %v", tries, time.Since(begun), err)
		}
		if !anotherMayHelp(err) {
			t.Error("the next model of a list is not asked")
		}
	})
}

// stubborn is a model that always fails.
type stubborn struct{ fail func() error }

func (*stubborn) Name() string { return "test:stubborn" }

func (f *stubborn) Generate(context.Context, Request, func(Delta)) (Turn, error) {
	return Turn{}, f.fail()
}

// A character whose halves come in two pieces is one character, in each protocol and in
// arguments.
func TestHalvesOfACharacter(t *testing.T) {
	for _, c := range []struct{ pieces, want string }{
		{`"a\ud83d" "\ude00b"`, "a😀b"}, {`"\ud83d" "\ude00"`, "😀"}, {`"\ud83d" "x"`, "\uFFFDx"}, {`"a\\ud83d" "\\ude00"`, `a\ud83d\ude00`},
		{`"\\\ud83d" "\ude00"`, `\😀`}, {`"\ud83d" "" "\ude00"`, "😀"}, {`"a" 5 "b"`, "a5b"}, {`"\ud83d\ude00" "\ud83d" "\ude00"`, "😀😀"},
	} {
		var h halves
		got := ""
		for piece := range strings.FieldsSeq(c.pieces) {
			got += content(h.join([]byte(piece)))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.pieces, got, c.want)
		}
	}
}

// After turns that failed or were stopped neighbours have one role. No provider gets them
// so, and nothing of their texts and files is lost.
func TestNeighboursOfOneRole(t *testing.T) {
	for _, p := range corpus(t) {
		row, _ := builtin(p.Name)
		r := Request{Worker: "main", Conversation: "c", ID: "0", Turn: 3, Messages: []Message{
			{Role: System, Text: "You help."},
			{Role: User, Text: "one failed"}, {Role: User, Text: "two", Parts: []Part{{Kind: "text", Name: "a.txt", Data: []byte("three")}}}, {Role: User, Text: "four"},
			{Role: Assistant, Text: "half"}, {Role: Assistant, Text: "whole"},
			{Role: User, Text: "five"}, {Role: User, Text: "six"}, {Role: User, Text: "seven"},
		}}
		if row.Image {
			r.Messages[2].Parts = append(r.Messages[2].Parts, Part{Kind: "image", Name: "a.png", MIME: "image/png", Data: []byte("png")})
		}
		doer := &strictly{provider: p.Name, answer: p.Answers[0]}
		m := corpusModel(t, p.Name, doer)
		for turn := range 3 {
			if _, err := m.Generate(t.Context(), r, nil); err != nil {
				t.Fatalf("%s, turn %d: %v", p.Name, turn, err)
			}
			for _, word := range []string{"one failed", "two", "three", "four", "half", "whole", "five", "six", "seven"} {
				if n := strings.Count(doer.body, word); n != 1 {
					t.Errorf("%s, turn %d: %q is %d times in %s", p.Name, turn, word, n, doer.body)
				}
			}
			r.Messages = append(r.Messages, Message{Role: User, Text: "more"})
		}
	}
}

// Every provider's refusal of an image is known as such, and an empty end is a turn for
// a caller that takes it as one.
func TestOddEnds(t *testing.T) {
	for _, p := range corpus(t) {
		for _, a := range p.Answers {
			if a.Kind != "image" && a.Kind != "empty" {
				continue
			}
			m := corpusModel(t, p.Name, &player{behaviour: behaviour{status: a.Status, body: []string{a.Body}}})
			r := request()
			r.MayEnd = true
			turn, err := m.Generate(t.Context(), r, nil)
			if a.Kind == "image" != RefusedImage(err) || a.Kind == "empty" && (err != nil || turn.Text != "" || turn.Finish != "stop") {
				t.Errorf("%s, %s: %+v, %v", p.Name, a.Kind, turn, err)
			}
		}
	}
	if RefusedImage((&failure{status: 500, message: "image"}).fault(fault.Model, remedy{})) || RefusedImage(nil) {
		t.Error("other failures are no refusal of an image")
	}
}

// Answers of gateways with odd forms are read.
func TestAnswersOfGateways(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"snowflake":     {`{"choices":[{"message":{"role":"assistant","content":"fine","function_call":{"name":"","arguments":""}},"finish_reason":"stop"}]}`, "fine"},
		"cloudflare":    {`{"choices":[{"message":{"role":"assistant","content":{"n":1,"list":["a"]}},"finish_reason":"stop"}]}`, `{"n":1,"list":["a"]}`},
		"an empty one":  {`{"choices":[{"message":{"role":"assistant","content":{"type":"text","text":"fine"}},"finish_reason":"stop"}]}`, "fine"},
		"a blank first": {" data: {\"choices\":[{\"delta\":{\"content\":\"fi\"}}]}\n\n data: {\"choices\":[{\"delta\":{\"content\":\"ne\"},\"finish_reason\":\"stop\"}]}\n\n", "fine"},
	} {
		m, err := Open("openai:m", Config{HTTP: &player{behaviour: behaviour{body: []string{c.body}}}, Env: env(key), Providers: map[string]Provider{"openai": {API: Chat}}})
		if err != nil {
			t.Fatal(err)
		}
		if turn, err := m.Generate(t.Context(), request(), nil); err != nil || turn.Text != c.want || len(turn.Calls) > 0 {
			t.Errorf("%s: %+v, %v", name, turn, err)
		}
	}
}

// Reasoning in tags is taken out of the text however it is cut into pieces; what is no tag
// at the beginning stays as it is.
func TestTags(t *testing.T) {
	for text, want := range map[string][2]string{
		"<think>a</think>b": {"b", "a"}, " \n<Thinking>a\n</THINKING>\n\n b ": {"b ", "a\n"}, "<think>a</think><reasoning>c</reasoning>b": {"b", "ac"}, "[THINK]a[/THINK]b": {"b", "a"},
		"<think>a": {"", "a"}, "<think>a</thin": {"", "a</thin"}, "<thinker>a": {"<thinker>a"}, "<thi": {"<thi"}, " a <think>b</think>": {" a <think>b</think>"}, "": {}, "  ": {"  "}, "<think></think>": {},
		"<think>İ日本</think>b": {"b", "İ日本"}, "<p>x": {"<p>x"},
	} {
		for size := 1; size <= len(text)+1; size++ {
			var tg tags
			var got [2]string
			add := func(text, thought string) { got[0], got[1] = got[0]+text, got[1]+thought }
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				add(tg.read(rest[:n]))
				rest = rest[n:]
			}
			if add(tg.end()); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
			}
		}
	}
}
