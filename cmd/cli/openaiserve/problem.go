package openaiserve

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golem/core/fault"
)

// problem is an error in OpenAI's form, with its HTTP status.
type problem struct {
	status  int
	message string
	kind    string
	code    string // "": null
	param   string // "": null
	again   bool   // the same request may succeed later
}

// kindInvalid is the type of the errors of requests that are wrong.
const kindInvalid = "invalid_request_error"

// invalid returns the problem of a request that is wrong at param.
func invalid(param, message string) *problem {
	return &problem{status: http.StatusBadRequest, kind: kindInvalid, param: param, message: message}
}

// unsupported returns the problem of a request that wants what no worker does.
func unsupported(param, message string) *problem {
	p := invalid(param, message)
	p.code = "unsupported_parameter"
	return p
}

// ofFault returns the problem of a run that failed.
func ofFault(f *fault.Fault) *problem {
	p := &problem{status: http.StatusInternalServerError, kind: "golem_error", code: string(f.Code), message: f.Message}
	if f.Hint != "" {
		p.message += " (" + f.Hint + ")"
	}
	switch f.Code {
	case fault.ToolInput, fault.Attachment:
		p.status, p.kind = http.StatusBadRequest, kindInvalid
	case fault.Limit:
		p.status, p.kind = http.StatusRequestEntityTooLarge, kindInvalid
	case fault.Trust, fault.Denied:
		p.status = http.StatusForbidden
	case fault.Model, fault.Network:
		p.status = http.StatusBadGateway
	case fault.Interrupted:
		p.status = http.StatusServiceUnavailable
	case fault.Timeout:
		p.status = http.StatusGatewayTimeout
	}
	return p
}

// errorObject is a problem as JSON.
type errorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (p *problem) object() errorObject {
	orNull := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return errorObject{p.message, p.kind, orNull(p.param), orNull(p.code)}
}

// refuse sends a problem. OpenAI's clients send a request again after most errors, which
// would run the worker again, unless the header says that they should not.
func refuse(w http.ResponseWriter, p *problem) {
	if !p.again {
		w.Header().Set("X-Should-Retry", "false")
	}
	writeJSON(w, p.status, map[string]any{"error": p.object()})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	data, err := json.Marshal(value)
	if err != nil { // unreachable: all values encode
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer could not be encoded","type":"golem_error","param":null,"code":null}}`)
	}
	data = append(data, '\n')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	// All errors are ignored: a client that is gone cannot be told, and only the response
	// writers of tests have no deadlines. A client that does not read has writeTime.
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(writeTime))
	w.WriteHeader(status)
	_, _ = w.Write(data)
	_ = control.Flush()
	_ = control.SetWriteDeadline(time.Time{})
}

// headerList joins names to the value of a header of at most 4 KB.
func headerList(names []string) string {
	var b strings.Builder
	for i, name := range names {
		name = strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' || r == ',' || r == ';' {
				return '_'
			}
			return r
		}, name)
		if b.Len()+len(name) > 4_000 {
			b.WriteString(", more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String()
}
