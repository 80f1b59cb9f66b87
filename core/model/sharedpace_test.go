package model

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// crowd is a SharedPace that notes what it is told.
type crowd struct {
	none error
	told []string
}

func (c *crowd) Enter(_ context.Context, host string) (func(bool), error) {
	c.told = append(c.told, "enter "+host)
	return func(room bool) { c.told = append(c.told, fmt.Sprint("leave ", room)) }, c.none
}

func (c *crowd) HoldBack(_ string, wait time.Duration) {
	c.told = append(c.told, fmt.Sprint("hold back ", wait))
}

// Other processes are asked before a request, and told what its answer says about limits.
func TestPaceIsSharedWithOtherProcesses(t *testing.T) {
	for name, c := range map[string]struct {
		answer behaviour
		none   error
		told   string
	}{
		"an answer":      {answer: behaviour{body: []string{eventsOf(text("Hello")), ok("stop")}}, told: "[enter generativelanguage.googleapis.com leave true]"},
		"a refusal":      {answer: behaviour{status: 429, body: []string{"{}"}, header: map[string]string{"Retry-After": "7"}}, told: "[enter generativelanguage.googleapis.com hold back 7s leave false hold back 7s]"},
		"a long refusal": {answer: behaviour{status: 429, body: []string{"{}"}, header: map[string]string{"Retry-After": "7000"}}, told: "[enter generativelanguage.googleapis.com hold back 1m0s leave false hold back 1m0s]"},
		"no server":      {none: errors.New("away"), told: "[enter generativelanguage.googleapis.com]"},
	} {
		with := &crowd{none: c.none}
		pace := &Pace{}
		pace.Share(with)
		m, err := Open("google:m", Config{HTTP: &player{behaviour: c.answer}, Env: env(corpusEnv()), Pace: pace})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(t.Context(), request(), nil)
		if got := fmt.Sprint(with.told); got != c.told || (err == nil) != (name == "an answer") {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
