package natsqueue

import (
	"context"
	"encoding/json"

	"golem/core/fault"
)

// Describe says to the workers what the batch is. v is encoded as JSON.
func (p *Producer) Describe(ctx context.Context, v any) error {
	subject := p.subject(setupSubject)
	data, _, err := p.pack(ctx, subject, v, p.private)
	if err == nil {
		_, err = p.publish(ctx, message{subject: subject, data: data, only: true})
	}
	return unreachable(err)
}

// Description decodes what the producer described into v. If the server has nothing that the
// producer signed, the error is E_TRUST.
func (q *Queue) Description(ctx context.Context, v any) error {
	subject := q.subject(setupSubject)
	m, err := q.last(ctx, subject)
	if err != nil {
		return unreachable(err)
	}
	wrong := ignored("the producer did not describe it yet")
	if m != nil {
		b, err := q.unpack(ctx, subject, m.Data)
		switch {
		case err == nil && b.signedBy(q.signer) && json.Unmarshal(b.data, v) == nil:
			return nil
		case err == nil:
			wrong = "it is not signed by the producer"
		case !q.ignores(subject, err):
			return unreachable(err)
		default:
			wrong = ignored(err.Error())
		}
	}
	return fault.New(fault.Trust, "the description of the batch does not count: %s", string(wrong)).Hinting("run the command again that began the batch")
}
