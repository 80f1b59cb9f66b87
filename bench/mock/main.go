// Command mock is an OpenAI-compatible endpoint that answers at once: what is
// measured against it is golem, not a model. It prints its base URL and
// serves until it is stopped.
//
// The model's name says what it does, so one server serves every case:
//
//	hello                one text answer
//	reads-N              N turns that each read one file, then an answer
//	batch-N              one turn with N reads, then an answer
//	delegate-N           N turns that each call one worker, then an answer
//	fan-N-DELAY          one turn with N worker calls, then an answer; the
//	                     turn that calls and the children's turns take DELAY
//
// A request whose system prompt holds the word CHILD is a child's and gets a
// text answer.
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
