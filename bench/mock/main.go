// Command mock is an OpenAI-compatible endpoint that answers at once, so that benchmarks measure
// golem and not a model. It prints its base URL and serves until it is stopped.
//
// The name of the model says what the model does, so that one server serves all cases:
//
//	hello                one text answer
//	reads-N              N turns that each read one file, then an answer
//	batch-N              one turn with N reads, then an answer
//	delegate-N           N turns that each call one worker, then an answer
//	fan-N-DELAY          one turn with N worker calls, then an answer; the
//	                     turn that calls and the children's turns take DELAY
//
// A request whose system prompt has the word CHILD is from a child worker and gets a text
// answer.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on; port 0 picks a free one")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/v1\n", l.Addr())
	http.HandleFunc("POST /v1/chat/completions", answer)
	log.Fatal(http.Serve(l, nil))
}
