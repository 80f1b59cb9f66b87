package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"golem/core/fault"
)

// sound checks that the result is a complete turn or a coded fault.
func sound(t *testing.T, turn Turn, err error) {
	t.Helper()
	if err != nil {
		var f *fault.Fault
		if !errors.As(err, &f) || f.Code == "" || f.Message == "" {
			t.Fatalf("no fault: %v", err)
		}
		if len(turn.Calls) > 0 {
			t.Fatal("a failed answer has calls")
		}
		return
	}
	if turn.Finish == "" || turn.Model == "" || turn.Usage.In < 0 || turn.Usage.Out < 0 {
		t.Fatalf("incomplete: %+v", turn)
	}
	ids := map[string]bool{"call00001": true}
	for _, c := range turn.Calls {
		if ids[c.ID] || c.ID == "" {
			t.Fatalf("id %q twice", c.ID)
		}
		ids[c.ID] = true
	}
}

// Any bytes from a provider give a turn or a fault.
func FuzzStream(f *testing.F) {
	for _, b := range behaviours {
		f.Add(strings.Join(b.body, ""), uint8(len(b.api)+len(b.provider)))
	}
	f.Fuzz(func(t *testing.T, body string, which uint8) {
		name, api := "openai:m", Chat
		switch which % 3 {
		case 1:
			api = Responses
		case 2:
			name = "anthropic:m"
		}
		p := &player{behaviour: behaviour{body: []string{body}}}
		m, err := Open(name, Config{HTTP: p, Env: env(key), MaxBytes: 1 << 20, Providers: map[string]Provider{"openai": {API: api}}})
		if err != nil {
			t.Fatal(err)
		}
		var shown strings.Builder
		turn, err := m.Generate(context.Background(), request(), func(d Delta) { shown.WriteString(d.Text) })
		sound(t, turn, err)
		if err == nil && shown.String() != turn.Text {
			t.Fatalf("shown %q of %q", shown.String(), turn.Text)
		}
	})
}

// Any script is refused with a place, or its model gives sound answers.
func FuzzScript(f *testing.F) {
	f.Add("script: 1\nworkers:\n  main:\n    - {when: {match: '(a)', tool: t}, say: '$1', calls: [{tool: x, args: {a: [1, $1]}}]}\n    - say: x\n")
	f.Add("script: 1\nworkers: {'*': [{when: {}, once: true, say: é, cut: 1}, {say: x, usage: {in: 1, out: 2}}]}")
	f.Add("script: 1\nworkers: {main: [{fail: {status: 429, retry_after: 1s}}, {raw_args: '{', calls: [{tool: t}]}]}")
	f.Add("&a [*a, *a]\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		workers, err := parseScript("s.yaml", []byte(text))
		if err != nil {
			var f *fault.Fault
			if !errors.As(err, &f) || f.Where == nil || f.Where.Line < 1 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		for _, rules := range workers {
			for i := range rules {
				rules[i].delay, rules[i].hang = 0, false
			}
		}
		m := newScript("script:s.yaml", workers)
		for turn := 1; turn < 4; turn++ {
			r := request()
			r.Turn = turn
			turn, err := m.Generate(context.Background(), r, nil)
			sound(t, turn, err)
		}
	})
}

// Any recording is refused with a place, or its replay gives sound answers.
func FuzzRecording(f *testing.F) {
	q, err := digest(request(), nil, false)
	if err != nil {
		f.Fatal(err)
	}
	head := `{"golem":"recording","v":1}` + "\n"
	f.Add(head + `{"key":"` + q.key + `","id":"0","turn":1,"answer":{"text":"x","calls":[{"id":"a","name":"t","args":"{"}],"finish":"stop","usage":{"in":-1}},"deltas":["x"]}` + "\n")
	f.Add(head + `{"key":"` + q.key + `","id":"0","turn":1,"failure":{"status":429,"retry_after_ms":99999999999999,"message":"m"}}` + "\n")
	f.Add(head + `{"key":"a","id":"0","failure":{"message":""},"same":5,"asked":["x","y"]}` + "\n" + `{"key":"b","id":"0","failure":{"message":""},"same":1,"asked":["z"]}` + "\n")
	f.Add(head + `{"key":"66dc7e2826e7b3f46dde445c6ebeacb9f1a985e19b3011b0ec1f9e1b89260e14","failure":{}}`) // the key of request()
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Open("replay:r", Config{ReadFile: files(map[string]string{"r": text})})
		if err != nil {
			var f *fault.Fault
			if !errors.As(err, &f) || f.Code != fault.Replay || f.Where == nil {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		turn, err := m.Generate(context.Background(), request(), nil)
		sound(t, turn, err)
	})
}

// In whatever way a provider splits and mixes the fragments of its calls, golem puts
// the same calls together, each with an id of its own.
func TestCallsSurviveAnySplitting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "calls")
		want, pieces := []Call{}, make([][]string, n)
		for i := range n {
			args := fmt.Sprintf(`{"text":%s}`, quoted(rapid.String().Draw(t, "text")))
			name := rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "name")
			want = append(want, Call{ID: fmt.Sprintf("call%05d", i+2), Name: name, Args: args})
			id := rapid.SampledFrom([]string{"", "same", fmt.Sprint("id", i)}).Draw(t, "id")
			pieces[i] = append(pieces[i], fragmentOf(fmt.Sprint(i), id, name, ""))
			for rest := []rune(args); len(rest) > 0; {
				cut := rapid.IntRange(1, len(rest)).Draw(t, "cut")
				pieces[i] = append(pieces[i], fragmentOf(fmt.Sprint(i), "", "", string(rest[:cut])))
				rest = rest[cut:]
			}
		}
		events := mix(pieces, rapid.Uint64().Draw(t, "seed"))
		body := eventsOf(events...) + ok("tool_calls")
		p := &player{behaviour: behaviour{body: []string{body}}}
		m, err := Open("openai:m", inChat(Config{HTTP: p, Env: env(key)}))
		if err != nil {
			t.Fatal(err)
		}
		turn, err := m.Generate(context.Background(), request(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, turn.Calls); d != "" {
			t.Fatal(d)
		}
	})
}

// mix returns one list of the members of all lists. Each list keeps its order, and all
// first members come first, so that the calls begin in order.
func mix(lists [][]string, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	var out []string
	left := 0
	for i, l := range lists {
		out = append(out, l[0])
		lists[i] = l[1:]
		left += len(l) - 1
	}
	for left > 0 {
		i := r.IntN(len(lists))
		if len(lists[i]) > 0 {
			out = append(out, lists[i][0])
			lists[i] = lists[i][1:]
			left--
		}
	}
	return out
}

// Any list of models gives names that can be used in a request, each once, and a hint
// of bounded length.
func FuzzList(f *testing.F) {
	for _, s := range []string{someModels, `[{"id":"a"}]`, `{"models":[{"name":"a","context_length":"9e99"}]}`, `{"data":[{"id":"a","providers":[{"context_length":-1},7]}]}`, `{"error":{}}`, "<html>"} {
		f.Add(s, "gpt-5-mni")
	}
	f.Fuzz(func(t *testing.T, body, name string) {
		offers, ok := readOffers([]byte(body))
		if !ok && len(offers) > 0 {
			t.Fatal("names of no list")
		}
		last := ""
		for i, o := range offers {
			if o.Name == "" || offerName(o.Name) != o.Name && !strings.HasPrefix(o.Name, "models/") || o.Context < 0 || i > 0 && o.Name <= last {
				t.Fatalf("%+v after %q", o, last)
			}
			last = o.Name
		}
		if hint := nearHint("p", name, offers); len(hint) > 2*maxNear*(maxOffer+4)+100 {
			t.Fatalf("a hint of %d bytes", len(hint))
		}
	})
}
