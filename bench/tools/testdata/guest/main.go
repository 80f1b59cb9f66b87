// Command guest is the Go module that bench/tools measures: a WASI command of about three
// megabytes, with one tool that does almost nothing (count) and three that compute: hashing,
// JSON and parsing.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/scanner"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "call" {
		fail("usage: guest call TOOL")
	}
	switch os.Args[2] {
	case "count":
		count()
	case "hash":
		hash()
	case "json":
		encode()
	case "parse":
		parse()
	default:
		fail("there is no tool " + os.Args[2])
	}
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}

func count() {
	var in struct {
		Text string `json:"text"`
	}
	data, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	if err != nil {
		fail(err.Error())
	}
	fmt.Printf(`{"words":%d}`, len(strings.Fields(in.Text)))
}

func hash() {
	block := bytes.Repeat([]byte("golem"), 100_000)
	h := sha256.New()
	for range 40 {
		h.Write(block)
	}
	fmt.Printf("%x", h.Sum(nil))
}

// record is an item of the JSON that encode writes and reads.
type record struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Tags  []string          `json:"tags"`
	Attrs map[string]string `json:"attrs"`
	Value float64           `json:"value"`
}

func encode() {
	var list []record
	for i := range 2000 {
		list = append(list, record{i, "worker \"number\" one", []string{"a", "b"}, map[string]string{"k": "v"}, 1.5 * float64(i)})
	}
	for range 6 {
		data, err := json.Marshal(list)
		if err == nil {
			err = json.Unmarshal(data, &list)
		}
		if err != nil {
			fail(err.Error())
		}
	}
	fmt.Print(len(list))
}

func parse() {
	var src strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&src, "let total%d = (12 + 7 * 3) - (40 / (2 + 2)) * 1;\n", i)
	}
	sum := 0
	for range 3 {
		p := &parser{}
		p.s.Init(strings.NewReader(src.String()))
		for p.next(); p.text != ""; p.next() {
			p.next() // the name
			p.next() // =
			p.next()
			sum += p.expression(0)
		}
	}
	fmt.Print(sum)
}

// parser evaluates expressions, by precedence climbing.
type parser struct {
	s    scanner.Scanner
	text string
}

func (p *parser) next() {
	p.text = ""
	if p.s.Scan() != scanner.EOF {
		p.text = p.s.TokenText()
	}
}

func (p *parser) value() int {
	if p.text == "(" {
		p.next()
		n := p.expression(0)
		p.next()
		return n
	}
	n, err := strconv.Atoi(p.text)
	if err != nil {
		fail(err.Error())
	}
	p.next()
	return n
}

var weight = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2}

func (p *parser) expression(above int) int {
	left := p.value()
	for w := weight[p.text]; w > above; w = weight[p.text] {
		sign := p.text
		p.next()
		right := p.expression(w)
		switch {
		case sign == "+":
			left += right
		case sign == "-":
			left -= right
		case sign == "*":
			left *= right
		case right != 0:
			left /= right
		}
	}
	return left
}
