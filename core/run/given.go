package run

import (
	"golem/core/fault"
	"golem/core/tool"
	"golem/core/trace"
)

// given returns the redactor of the person's values that tools were given; nil if there
// are none.
func (r *Runner) given() *trace.Redactor {
	if r.Values == nil {
		return nil
	}
	return r.Values.Given()
}

// withoutGiven returns the result of a tool without the person's values that modules
// were given: the model, the trace and the person do not see them (SECURITY 16).
func (r *Runner) withoutGiven(out tool.Output, err error) (tool.Output, error) {
	red := r.given()
	if red == nil {
		return out, err
	}
	if err != nil {
		err = fault.Of(err, fault.Tool).Mapped(red.String)
	}
	out.Text, out.Summary, out.Data = string(red.Bytes([]byte(out.Text))), red.String(out.Summary), red.JSON(out.Data)
	for i, p := range out.Parts {
		if text := red.String(string(p.Data)); text != string(p.Data) {
			p.Data = []byte(text)
		}
		p.Name, p.MIME = red.String(p.Name), red.String(p.MIME)
		out.Parts[i] = p
	}
	return out, err
}
