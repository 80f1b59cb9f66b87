package natsqueue

import (
	"fmt"
	"net"
	"testing"
)

// A server that ends and starts again while its messages are read, with the consumer in its
// memory, hides none of them and repeats none.
func TestServerStartsAgainWhileMessagesAreRead(t *testing.T) {
	p := newPair(t)
	q := p.worker
	const messages = 2*mostFetched + 7
	for n := range messages {
		_, err := q.publish(t.Context(), message{subject: q.subjectOf(itemSubject, fmt.Sprint(n)), data: fmt.Append(nil, n)})
		must(t, err)
	}
	dir := p.server.StoreDir()
	port := p.server.Addr().(*net.TCPAddr).Port
	read := 0
	must(t, q.eachMessage(t.Context(), q.subjectOf(itemSubject, "*"), func(_ string, data []byte) error {
		if string(data) != fmt.Sprint(read) {
			t.Errorf("message %d is %s", read, data)
		}
		if read++; read == 3 || read == mostFetched {
			p.server.Shutdown()
			p.server.WaitForShutdown()
			p.server = newServer(t, dir, port)
		}
		return nil
	}))
	if read != messages {
		t.Errorf("%d of %d messages", read, messages)
	}
}
