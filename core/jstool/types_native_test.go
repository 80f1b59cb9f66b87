//go:build !js

package jstool_test

import "testing"

// Types go from around expressions in parentheses, and the parentheses stay.
func TestTypesAroundParentheses(t *testing.T) {
	l := library(t)
	const source = `
type N = number
const any = (a: unknown, b: unknown) => a || b
/** Tries them. */
export function all(n: number): string {
  const one = (any(0, n) || 'x') as unknown as N;
  const two = ((n) /* ) as */ ) satisfies N
  const three = (n ?? null)!
  const four = <N>(n || 1)
  const five = (<T>(x: T) => x)<N>(n)
  const six = ((n as N) + (two as N)) as N
  ;(globalThis as any).seen = (n)!
  return [one, two, three, four, five, six, (globalThis as any).seen].join()
}
`
	module, err := link(t, l, map[string]string{"a.ts": source}, "a.ts")
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Ungranted(t.Context(), module, "call", []byte(`{"params":{"name":"all","arguments":{"n":3}}}`), nil)
	if want := `{"content":[{"type":"text","text":"3,3,3,3,3,6,3"}]}`; err != nil || string(out) != want {
		t.Errorf("%s, %v; want %s", out, err, want)
	}
}
